import {
  type Client,
  ConfigMap,
  Deployment,
  Ingress,
  isAlreadyExists,
  isConflict,
  isNotFound,
  kind,
  type ObjectRef,
  Pod,
} from '@portcullis/kube'
import type { Scale } from 'kubernetes-types/autoscaling/v1'
import type { ClusterRole as RbacClusterRole } from 'kubernetes-types/rbac/v1'
import { describe, expect, test } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { sharedControlPlane } from '../clusters/shared-control-plane.ts'
import { adminAccess, aNamespace, connect } from '../clusters/test-client.ts'
import { isGone, Service } from './is-gone.ts'

const ClusterRole = kind<RbacClusterRole>('rbac.authorization.k8s.io/v1', 'ClusterRole')
const ScaleOfDeployment = kind<Scale>(Deployment.apiVersion, Deployment.kind)

const plane = sharedControlPlane()

function aDeployment(metadata: { namespace: string; name: string }, replicas: number) {
  const labels = { app: metadata.name }
  const containers = [
    { name: 'router', image: 'router:1', args: ['--quiet'] },
    { name: 'logs', image: 'logs:1' },
  ]
  return {
    metadata,
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  }
}

function anIngress(metadata: { namespace: string; name: string }) {
  const service = { name: 'shop', port: { number: 80 } }
  return { metadata, spec: { defaultBackend: { service } } }
}

describe('Objects', () => {
  test('An object is created, read, replaced and deleted', async () => {
    const { client, namespace } = await aNamespace(plane)
    const created = await client.create(ConfigMap, {
      metadata: { namespace, name: 'web' },
      data: { a: 'é€😀' },
    })
    expect(created).toMatchObject({
      kind: 'ConfigMap',
      metadata: { uid: expect.any(String) },
      data: { a: 'é€😀' },
    })
    expect(await client.get(ConfigMap, { namespace, name: 'web' })).toEqual(created)

    const replaced = await client.replace(ConfigMap, { ...created, data: { b: '2' } })
    expect(replaced.data).toEqual({ b: '2' })
    expect(replaced.metadata.uid).toBe(created.metadata.uid)
    expect(replaced.metadata.resourceVersion).not.toBe(created.metadata.resourceVersion)

    await client.delete(ConfigMap, { namespace, name: 'web' })
    await isGone(client, { namespace, name: 'web' })
  })

  test('An object with generateName gets its name from the server', async () => {
    const { client, namespace } = await aNamespace(plane)
    const create = () => client.create(ConfigMap, { metadata: { namespace, generateName: 'web-' } })
    const [one, other] = await Promise.all([create(), create()])
    expect(one.metadata.name).toMatch(/^web-./)
    expect(other.metadata.name).toMatch(/^web-./)
    expect(one.metadata.name).not.toBe(other.metadata.name)
  })

  test('An object that exists is not created again', async () => {
    const { client, namespace } = await aNamespace(plane)
    const create = () => client.create(ConfigMap, { metadata: { namespace, name: 'web' } })
    await create()
    await expect(create()).rejects.toSatisfy(isAlreadyExists)
    await expect(create()).rejects.toThrow(
      `Cannot create ConfigMap ${namespace}/web: 409 AlreadyExists: configmaps "web" already exists`,
    )
  })

  test('A replace from an old version is a conflict', async () => {
    const { client, namespace } = await aNamespace(plane)
    const seen = await client.create(ConfigMap, { metadata: { namespace, name: 'web' } })
    await client.replace(ConfigMap, { ...seen, data: { by: 'somebody else' } })
    const late = client.replace(ConfigMap, { ...seen, data: { by: 'us' } })
    await expect(late).rejects.toMatchObject({ code: 409, reason: 'Conflict' })
    await expect(late).rejects.toThrow(
      new RegExp(`^Cannot replace ConfigMap ${namespace}/web: 409 Conflict: .*the object has been modified`),
    )
    expect((await client.get(ConfigMap, { namespace, name: 'web' })).data).toEqual({ by: 'somebody else' })
  })

  test('An object whose name needs URL encoding is found', async () => {
    const client = connect(await adminAccess(plane))
    const name = `test:${crypto.randomUUID()} & co?#+=`
    const created = await client.create(ClusterRole, { metadata: { name }, rules: [] })
    expect(created.metadata.name).toBe(name)
    expect(await client.get(ClusterRole, { name })).toEqual(created)
    await client.delete(ClusterRole, { name })
    await expect(client.get(ClusterRole, { name })).rejects.toSatisfy(isNotFound)
    expect((await client.get(ClusterRole, { name: 'system:node' })).metadata.name).toBe('system:node')
  })

  test('The user agent names the field manager where none is given', async () => {
    const { client, namespace } = await aNamespace(plane)
    const metadata = { namespace, name: 'web' }
    const created = await client.create(ConfigMap, { metadata, data: { a: '1' } })
    expect(created.metadata.managedFields).toMatchObject([
      { manager: 'portcullis-test', operation: 'Update' },
    ])
    const body = { data: { b: '2' } }
    const patched = await client.patch(
      ConfigMap,
      metadata,
      { type: 'merge', body },
      { fieldManager: 'somebody' },
    )
    expect(patched.metadata.managedFields?.map(({ manager }) => manager)).toEqual([
      'portcullis-test',
      'somebody',
    ])
  })
})

describe('Patches', () => {
  test('A JSON patch applies all operations, or none', async () => {
    const { client, namespace } = await aNamespace(plane)
    const ref = { namespace, name: 'web' }
    await client.create(ConfigMap, { metadata: ref, data: { a: '1', b: '2' } })
    const patched = await client.patch(ConfigMap, ref, {
      type: 'json',
      body: [
        { op: 'test', path: '/data/a', value: '1' },
        { op: 'move', from: '/data/a', path: '/data/c' },
        { op: 'remove', path: '/data/b' },
        { op: 'add', path: '/metadata/annotations', value: {} },
        { op: 'add', path: '/metadata/annotations/example.com~1x', value: '3' },
      ],
    })
    expect(patched.data).toEqual({ c: '1' })
    expect(patched.metadata.annotations).toEqual({ 'example.com/x': '3' })
    const failing = client.patch(ConfigMap, ref, {
      type: 'json',
      body: [
        { op: 'remove', path: '/data/c' },
        { op: 'test', path: '/metadata/annotations/example.com~1x', value: 'something else' },
      ],
    })
    await expect(failing).rejects.toMatchObject({ code: 422 })
    expect(await client.get(ConfigMap, ref)).toEqual(patched)
  })

  test('A merge patch removes fields that are null and replaces lists', async () => {
    const { client, namespace } = await aNamespace(plane)
    const metadata = { namespace, name: 'web' }
    await client.create(Service, {
      metadata: { ...metadata, labels: { a: '1', b: '2' } },
      spec: { ports: [http] },
    })
    const body = { metadata: { labels: { a: null, c: '3' } }, spec: { ports: [https] } }
    const patched = await client.patch(Service, metadata, { type: 'merge', body })
    expect(patched.metadata.labels).toEqual({ b: '2', c: '3' })
    expect(patched.spec?.ports).toMatchObject([https])
  })

  test('A strategic merge patch merges lists by their key', async () => {
    const { client, namespace } = await aNamespace(plane)
    const metadata = { namespace, name: 'web' }
    await client.create(Service, { metadata, spec: { ports: [http] } })
    const patched = await client.patch(Service, metadata, {
      type: 'strategic',
      body: { spec: { ports: [https] } },
    })
    expect(patched.spec?.ports).toMatchObject([https, http])

    await client.create(Deployment, aDeployment(metadata, 0))
    const body = { spec: { template: { spec: { containers: [{ name: 'router', image: 'router:2' }] } } } }
    const { spec } = await client.patch(Deployment, metadata, { type: 'strategic', body })
    expect(spec?.template.spec?.containers).toMatchObject([
      { name: 'router', image: 'router:2', args: ['--quiet'] },
      { name: 'logs', image: 'logs:1' },
    ])
  })

  const http = { name: 'http', port: 80 }
  const https = { name: 'https', port: 443 }
})

describe('Server-side apply', () => {
  const apply = (
    client: Client,
    ref: ObjectRef,
    data: Record<string, string>,
    fieldManager: string,
    force?: boolean,
  ) =>
    client.patch(
      ConfigMap,
      ref,
      { type: 'apply', body: { metadata: ref, data }, ...(force !== undefined && { force }) },
      { fieldManager },
    )

  test('Server-side apply creates an object that does not exist', async () => {
    const { client, namespace } = await aNamespace(plane)
    const ref = { namespace, name: 'web' }
    const applied = await apply(client, ref, { color: 'red' }, 'ann')
    expect(applied.data).toEqual({ color: 'red' })
    expect(applied.metadata.managedFields).toMatchObject([{ manager: 'ann', operation: 'Apply' }])
    expect(await client.get(ConfigMap, ref)).toEqual(applied)
  })

  test('Server-side apply removes fields that are no longer sent, and keeps those of others', async () => {
    const { client, namespace } = await aNamespace(plane)
    const ref = { namespace, name: 'web' }
    await apply(client, ref, { color: 'red', size: 'big' }, 'ann')
    await apply(client, ref, { shape: 'round' }, 'bob')
    expect((await apply(client, ref, { size: 'big' }, 'ann')).data).toEqual({ size: 'big', shape: 'round' })
  })

  test('Server-side apply of a field of another manager is a conflict that names both, unless it is forced', async () => {
    const { client, namespace } = await aNamespace(plane)
    const ref = { namespace, name: 'web' }
    await apply(client, ref, { color: 'red' }, 'ann')
    const conflicting = apply(client, ref, { color: 'blue' }, 'bob')
    await expect(conflicting).rejects.toSatisfy(isConflict)
    await expect(conflicting).rejects.toMatchObject({
      reason: 'Conflict',
      causes: [expect.stringMatching(/^\.data\.color: conflict with "ann"/)],
    })
    await expect(conflicting).rejects.toThrow(`Cannot patch ConfigMap ${namespace}/web: 409 Conflict: `)
    expect((await client.get(ConfigMap, ref)).data).toEqual({ color: 'red' })

    const forced = await apply(client, ref, { color: 'blue' }, 'bob', true)
    expect(forced.data).toEqual({ color: 'blue' })
    expect(forced.metadata.managedFields?.map(({ manager }) => manager)).toEqual(['bob'])
  })
})

describe('Subresources', () => {
  const status = { loadBalancer: { ingress: [{ ip: '192.0.2.7' }] } }

  test('A patch of the status leaves the spec alone, and the other way round', async () => {
    const { client, namespace } = await aNamespace(plane)
    const ref = { namespace, name: 'web' }
    const { spec } = await client.create(Ingress, anIngress(ref))
    const body = { spec: { defaultBackend: { service: { name: 'other' } } }, status }
    const first = await client.patch(Ingress, ref, { type: 'merge', body }, { subresource: 'status' })
    expect(first).toMatchObject({ spec, status })
    const emptied = { spec: { ingressClassName: 'edge' }, status: { loadBalancer: null } }
    const second = await client.patch(Ingress, ref, { type: 'merge', body: emptied })
    expect(second).toMatchObject({ spec: { ...spec, ingressClassName: 'edge' }, status })
  })

  test('A status is read, replaced and applied by itself', async () => {
    const { client, namespace } = await aNamespace(plane)
    const ref = { namespace, name: 'web' }
    const created = await client.create(Ingress, anIngress(ref))
    const other = { ...created, spec: { ingressClassName: 'other' }, status }
    const replaced = await client.replace(Ingress, other, { subresource: 'status' })
    expect(replaced).toMatchObject({ spec: created.spec, status })
    expect(await client.get(Ingress, ref, { subresource: 'status' })).toEqual(replaced)

    const applied = { loadBalancer: { ingress: [{ hostname: 'lb.example' }] } }
    const patch = { type: 'apply', body: { status: applied }, force: true } as const
    await client.patch(Ingress, ref, patch, { subresource: 'status', fieldManager: 'ann' })
    expect(await client.get(Ingress, ref)).toMatchObject({ spec: created.spec, status: applied })
  })

  test('A Deployment is scaled through its scale without touching anything else', async () => {
    const { client, namespace } = await aNamespace(plane)
    const ref = { namespace, name: 'web' }
    const { spec } = await client.create(Deployment, aDeployment(ref, 1))
    const before = await client.get(ScaleOfDeployment, ref, { subresource: 'scale' })
    expect(before).toMatchObject({ kind: 'Scale', spec: { replicas: 1 } })
    const patch = { type: 'merge', body: { spec: { replicas: 2 } } } as const
    const scaled = await client.patch(ScaleOfDeployment, ref, patch, { subresource: 'scale' })
    expect(scaled).toMatchObject({ kind: 'Scale', spec: { replicas: 2 } })
    expect((await client.get(Deployment, ref)).spec).toEqual({ ...spec, replicas: 2 })
    await eventually(async () => {
      const { items } = await client.list(Pod, { namespace, labelSelector: 'app=web' })
      expect(items).toHaveLength(2)
    })
  })
})

describe('A write', () => {
  test('A dry run is answered, and stores nothing', async () => {
    const { client, namespace } = await aNamespace(plane)
    const ref = { namespace, name: 'web' }
    const dryRun = true
    const planned = await client.create(ConfigMap, { metadata: ref }, { dryRun })
    expect(planned.metadata.uid).toEqual(expect.any(String))
    await isGone(client, ref)

    const created = await client.create(ConfigMap, { metadata: ref, data: { a: '1' } })
    const changed = { ...created, data: { a: '2' } }
    const body = { data: changed.data }
    expect(await client.replace(ConfigMap, changed, { dryRun })).toMatchObject(body)
    expect(await client.patch(ConfigMap, ref, { type: 'merge', body }, { dryRun })).toMatchObject(body)
    await client.delete(ConfigMap, ref, { dryRun })
    expect(await client.get(ConfigMap, ref)).toEqual(created)
  })

  test('Strict field validation refuses an unknown field by name', async () => {
    const { client, namespace } = await aNamespace(plane)
    const misspelt = { metadata: { namespace, name: 'web' }, dat: { a: '1' } }
    const strictly = client.create(ConfigMap, misspelt, { fieldValidation: 'Strict' })
    await expect(strictly).rejects.toMatchObject({ code: 400, reason: 'BadRequest' })
    await expect(strictly).rejects.toThrow(/Cannot create ConfigMap .*\/web: .*unknown field "dat"/)
    await isGone(client, { namespace, name: 'web' })
    expect(await client.create(ConfigMap, misspelt)).not.toHaveProperty('dat')
  })
})
