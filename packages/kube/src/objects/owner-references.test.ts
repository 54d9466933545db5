import { expect, it } from 'vitest'
import type { KubeObject } from './objects.ts'
import { controllerOf, isOwnedBy, ownerReference, withOwner } from './owner-references.ts'

const router = {
  apiVersion: 'operator.openshift.io/v1',
  kind: 'IngressController',
  metadata: { namespace: 'ingress', name: 'default', uid: 'uid-1' },
}
const reference = {
  apiVersion: 'operator.openshift.io/v1',
  kind: 'IngressController',
  name: 'default',
  uid: 'uid-1',
}
const other = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'uid-9' }

const service = (...ownerReferences: object[]): KubeObject => ({
  kind: 'Service',
  metadata: { namespace: 'ingress', name: 'router', ownerReferences: ownerReferences as never },
})

it('An owner reference names the owner, and adds no other field', () => {
  expect(ownerReference(router)).toEqual(reference)
  expect(ownerReference(router, { controller: true, blockOwnerDeletion: false })).toEqual({
    ...reference,
    controller: true,
    blockOwnerDeletion: false,
  })
})

it('An owner reference refuses an owner whose kind is not known', () => {
  expect(() => ownerReference({ metadata: router.metadata })).toThrow(
    'default cannot be an owner: its apiVersion and kind are not set',
  )
  const { apiVersion, kind, metadata } = router
  expect(() => ownerReference({ kind, metadata })).toThrow('cannot be an owner')
  expect(() => ownerReference({ apiVersion, metadata })).toThrow('cannot be an owner')
})

it('An owner reference has no field that was not given: null would be a change', () => {
  expect(Object.keys(ownerReference(router))).toEqual(['apiVersion', 'kind', 'name', 'uid'])
})

it.each([
  [{}, 'Object without a name'],
  [{ kind: 'Service', metadata: { generateName: 'router-' } }, 'Service router-'],
  [{ kind: 'Service', metadata: { name: 'router' } }, 'Service router'],
])('An owner reference to another namespace is refused for %o, by what is known of it', (object, name) => {
  expect(() => withOwner(object as KubeObject, router)).toThrow(
    `${name} has no namespace and cannot be owned`,
  )
})

it('An owner is recognized by its uid, not its name', () => {
  expect(isOwnedBy(service(other, reference), router)).toBe(true)
  expect(isOwnedBy(service({ ...reference, uid: 'uid-of-its-predecessor' }), router)).toBe(false)
  expect(isOwnedBy({}, router)).toBe(false)
})

it('The controller of an object is the one owner with controller: true', () => {
  const controller = { ...reference, controller: true }
  expect(controllerOf(service({ ...other, controller: false }, controller))).toEqual(controller)
  expect(controllerOf(service(other))).toBeUndefined()
})

it("The owner is added as controller after others' references, and nothing is changed in place", () => {
  const before = service(other)
  const after = withOwner(before, router)
  expect(after.metadata?.ownerReferences).toEqual([other, { ...reference, controller: true }])
  expect(before).toEqual(service(other))
})

it('The object is returned as it is when there is no owner to add', () => {
  const owned = service({ ...reference, controller: true, blockOwnerDeletion: true })
  expect(withOwner(owned, router)).toBe(owned)
})

it('A reference to the same owner is updated in its place', () => {
  const after = withOwner(service({ ...reference, blockOwnerDeletion: true }, other), router)
  expect(after.metadata?.ownerReferences).toEqual([
    { ...reference, blockOwnerDeletion: true, controller: true },
    other,
  ])
})

it('A second controller is refused, and the error names the first', () => {
  expect(() => withOwner(service({ ...other, controller: true }), router)).toThrow(
    'Service router is already controlled by Deployment web (uid uid-9), so IngressController default cannot control it too.',
  )
})

it('A plain owner is added beside a controller', () => {
  const after = withOwner(service({ ...other, controller: true }), router, {})
  expect(after.metadata?.ownerReferences).toEqual([{ ...other, controller: true }, reference])
})

it('An owner in another namespace is refused', () => {
  const elsewhere = { kind: 'Service', metadata: { namespace: 'web', name: 'router' } }
  expect(() => withOwner(elsewhere, router)).toThrow(
    'Service router is in namespace web and cannot be owned by IngressController ingress/default',
  )
})

it('An owner with a namespace is refused for an object without one', () => {
  expect(() => withOwner({ kind: 'ClusterRole', metadata: { name: 'router' } }, router)).toThrow(
    'ClusterRole router has no namespace and cannot be owned',
  )
})

it('A cluster-scoped owner may own objects in any namespace', () => {
  const cluster = { ...router, metadata: { name: 'cluster', uid: 'uid-2' } }
  expect(isOwnedBy(withOwner(service(), cluster), cluster)).toBe(true)
})
