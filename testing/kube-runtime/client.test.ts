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
import type { Service as CoreService } from 'kubernetes-types/core/v1'
import type { ClusterRole as RbacClusterRole } from 'kubernetes-types/rbac/v1'
import { describe, expect, test } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { sharedControlPlane } from '../clusters/shared-control-plane.ts'
import { adminAccess, aNamespace, connect } from '../clusters/test-client.ts'

const Service = kind<CoreService>('v1', 'Service')
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

async function isGone(client: Client, ref: ObjectRef): Promise<void> {
  await expect(client.get(ConfigMap, ref)).rejects.toSatisfy(isNotFound)
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

describe('Deletions', () => {
  test('A deletion with the uid of an earlier object leaves the new one alone', async () => {
    const { client, namespace } = await aNamespace(plane)
    const ref = { namespace, name: 'web' }
    const earlier = await client.create(ConfigMap, { metadata: ref })
    await client.delete(ConfigMap, ref)
    const later = await client.create(ConfigMap, { metadata: ref })

    const late = client.delete(ConfigMap, ref, { preconditions: { uid: earlier.metadata.uid } })
    await expect(late).rejects.toSatisfy(isConflict)
    await expect(late).rejects.toThrow(`Cannot delete ConfigMap ${namespace}/web: 409 Conflict: `)
    expect(await client.get(ConfigMap, ref)).toEqual(later)

    await client.delete(ConfigMap, ref, { preconditions: { uid: later.metadata.uid } })
    await isGone(client, ref)
  })

  test('A deletion with a resource version leaves a later version alone', async () => {
    const { client, namespace } = await aNamespace(plane)
    const ref = { namespace, name: 'web' }
    const { metadata } = await client.create(ConfigMap, { metadata: ref })
    const changed = await client.patch(ConfigMap, ref, { type: 'merge', body: { data: { a: '1' } } })
    const { uid, resourceVersion } = metadata
    const late = client.delete(ConfigMap, ref, { preconditions: { uid, resourceVersion } })
    await expect(late).rejects.toSatisfy(isConflict)
    expect(await client.get(ConfigMap, ref)).toEqual(changed)
  })

  /** An object, and one that it owns and that cannot go before `release`. */
  async function anOwner() {
    const { client, namespace } = await aNamespace(plane)
    const owner = { namespace, name: 'owner' }
    const owned = { namespace, name: 'owned' }
    const { metadata } = await client.create(ConfigMap, { metadata: owner })
    await client.create(ConfigMap, {
      metadata: {
        ...owned,
        finalizers: ['portcullis.dev/test'],
        ownerReferences: [
          { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: metadata.uid, blockOwnerDeletion: true },
        ],
      },
    })
    const release = () =>
      client.patch(ConfigMap, owned, { type: 'merge', body: { metadata: { finalizers: null } } })
    return { client, owner, owned, release }
  }

  test('A foreground deletion waits for the dependents', async () => {
    const { client, owner, owned, release } = await anOwner()
    await client.delete(ConfigMap, owner, { propagation: 'Foreground' })
    await eventually(async () => {
      expect((await client.get(ConfigMap, owned)).metadata.deletionTimestamp).toBeDefined()
    })
    expect((await client.get(ConfigMap, owner)).metadata).toMatchObject({
      finalizers: ['foregroundDeletion'],
      deletionTimestamp: expect.any(String),
    })
    await release()
    await eventually(() => isGone(client, owner))
    await isGone(client, owned)
  })

  test('A background deletion is immediate, and the dependents follow', async () => {
    const { client, owner, owned, release } = await anOwner()
    await client.delete(ConfigMap, owner, { propagation: 'Background' })
    await isGone(client, owner)
    await eventually(async () => {
      expect((await client.get(ConfigMap, owned)).metadata.deletionTimestamp).toBeDefined()
    })
    await release()
  })

  test('An orphaning deletion leaves the dependents without an owner', async () => {
    const { client, owner, owned, release } = await anOwner()
    await client.delete(ConfigMap, owner, { propagation: 'Orphan' })
    await eventually(() => isGone(client, owner))
    const { metadata } = await client.get(ConfigMap, owned)
    expect(metadata.ownerReferences).toBeUndefined()
    expect(metadata.deletionTimestamp).toBeUndefined()
    await release()
  })

  test('A deletion gives a pod the requested grace period, and none when it is zero', async () => {
    const { client, namespace } = await aNamespace(plane)
    const ref = { namespace, name: 'web' }
    // On a node that does not exist, so that no kubelet ends it.
    const spec = { nodeName: 'nowhere', containers: [{ name: 'web', image: 'web' }] }
    await client.create(Pod, { metadata: ref, spec })
    await client.delete(Pod, ref, { gracePeriodSeconds: 1234 })
    expect((await client.get(Pod, ref)).metadata.deletionGracePeriodSeconds).toBe(1234)
    await client.delete(Pod, ref, { gracePeriodSeconds: 0 })
    await expect(client.get(Pod, ref)).rejects.toSatisfy(isNotFound)
  })
})

describe('Lists', () => {
  const objects = 1100

  test('A list in pages equals a list in one piece, all of one version, whatever changes meanwhile', async () => {
    const { client, namespace } = await aNamespace(plane)
    const create = (name: string) =>
      client.create(ConfigMap, { metadata: { namespace, name }, data: { name } })
    // The control plane adds it to every namespace, some time after it was made.
    await eventually(() => client.get(ConfigMap, { namespace, name: 'kube-root-ca.crt' }))
    await Promise.all(Array.from({ length: objects }, (_, at) => create(`map-${at}`)))

    const whole = await client.list(ConfigMap, { namespace, pageSize: 0 })
    expect(whole.items).toHaveLength(objects + 1)
    expect((await client.list(ConfigMap, { namespace, pageSize: 100 })).items).toEqual(whole.items)

    const pages: Awaited<ReturnType<typeof client.list<NonNullable<typeof ConfigMap.object>>>>[] = []
    for await (const page of client.pages(ConfigMap, { namespace, pageSize: 100 })) {
      pages.push(page)
      if (pages.length === 3) {
        await create('zzz-late')
        await client.delete(ConfigMap, { namespace, name: 'map-999' })
      }
    }
    expect(pages.map(({ items }) => items.length)).toEqual([...Array.from({ length: 11 }, () => 100), 1])
    expect(new Set(pages.map(({ resourceVersion }) => resourceVersion)).size).toBe(1)
    expect(pages.flatMap(({ items }) => items)).toEqual(whole.items)
  })

  test('A list is selected by labels, fields and namespace', async () => {
    const { client, namespace } = await aNamespace(plane)
    const elsewhere = (await aNamespace(plane)).namespace
    const run = crypto.randomUUID()
    const create = (namespace: string, name: string, tier: string) =>
      client.create(ConfigMap, { metadata: { namespace, name, labels: { run, tier } } })
    await create(namespace, 'a', 'front')
    await create(namespace, 'b', 'back')
    await create(namespace, 'c', 'middle')
    await create(elsewhere, 'a', 'front')
    const names = async (options: Parameters<typeof client.list>[1]) =>
      (await client.list(ConfigMap, options)).items.map(
        ({ metadata }) => `${metadata.namespace}/${metadata.name}`,
      )

    const ours = `run=${run}`
    expect(await names({ labelSelector: ours })).toEqual(
      [`${namespace}/a`, `${namespace}/b`, `${namespace}/c`, `${elsewhere}/a`].toSorted(),
    )
    expect(await names({ namespace, labelSelector: `${ours},tier in (front, back)` })).toEqual([
      `${namespace}/a`,
      `${namespace}/b`,
    ])
    expect(await names({ namespace, labelSelector: `${ours},tier!=front` })).toHaveLength(2)
    expect(await names({ fieldSelector: `metadata.name=a,metadata.namespace=${elsewhere}` })).toEqual([
      `${elsewhere}/a`,
    ])
    expect(await names({ namespace, labelSelector: ours, fieldSelector: 'metadata.name!=a' })).toHaveLength(2)
  })

  test('A list with an invalid selector is refused, and the error quotes the selector', async () => {
    const { client, namespace } = await aNamespace(plane)
    await expect(client.list(ConfigMap, { namespace, fieldSelector: 'data.color=red' })).rejects.toThrow(
      new RegExp(`^Cannot list ConfigMap in namespace ${namespace} where data.color=red: 400 BadRequest: `),
    )
  })
})

describe('Error messages', () => {
  test('The error of a 404 says what does not exist', async () => {
    const { client, namespace } = await aNamespace(plane)
    const ref = { namespace, name: 'web' }
    const sentence = `ConfigMap ${namespace}/web: 404 NotFound: configmaps "web" not found`
    await expect(client.get(ConfigMap, ref)).rejects.toThrow(`Cannot get ${sentence}`)
    await expect(client.delete(ConfigMap, ref)).rejects.toThrow(`Cannot delete ${sentence}`)
    const patch = client.patch(ConfigMap, ref, { type: 'merge', body: {} })
    await expect(patch).rejects.toThrow(`Cannot patch ${sentence}`)
    await expect(client.get(ConfigMap, { namespace: 'nowhere', name: 'web' })).rejects.toSatisfy(isNotFound)
    await expect(
      client.create(ConfigMap, { metadata: { namespace: 'nowhere', name: 'web' } }),
    ).rejects.toThrow('Cannot create ConfigMap nowhere/web: 404 NotFound: namespaces "nowhere" not found')
  })

  test('The error of a 403 says what is not allowed', async () => {
    const admin = await adminAccess(plane)
    const client = connect({ ...admin, credentials: bearing(plane.nobodyToken) })
    const get = client.get(ConfigMap, { namespace: 'default', name: 'web' })
    await expect(get).rejects.toMatchObject({ code: 403, reason: 'Forbidden' })
    await expect(get).rejects.toThrow(
      'Cannot get ConfigMap default/web: 403 Forbidden: configmaps "web" is forbidden: ' +
        'User "nobody" cannot get resource "configmaps" in API group "" in the namespace "default"',
    )
    await expect(client.list(ConfigMap)).rejects.toThrow(
      'Cannot list ConfigMap in all namespaces: 403 Forbidden: ',
    )
    const patch = { type: 'merge', body: {} } as const
    const options = { subresource: 'status' } as const
    await expect(
      client.patch(Ingress, { namespace: 'default', name: 'web' }, patch, options),
    ).rejects.toThrow('Cannot patch the status of Ingress default/web: 403 Forbidden: ')
  })

  test('The error of a 401 says that the client is not authenticated', async () => {
    const admin = await adminAccess(plane)
    let token = plane.adminToken
    const credentials = { current: () => bearing(token).current(), rejected: async () => false }
    const client = connect({ ...admin, credentials })
    await client.list(ConfigMap, { namespace: 'default' })
    token = 'expired'
    await expect(client.get(ConfigMap, { namespace: 'default', name: 'web' })).rejects.toThrow(
      'Cannot get ConfigMap default/web: 401 Unauthorized: Unauthorized',
    )
  })

  test('The error of a 422 says what is invalid in which field', async () => {
    const { client, namespace } = await aNamespace(plane)
    const create = client.create(Service, {
      metadata: { namespace, name: 'web' },
      spec: { type: 'NodePort', ports: [{ port: 70_000 }], externalTrafficPolicy: 'Lokal' },
    })
    await expect(create).rejects.toMatchObject({
      code: 422,
      reason: 'Invalid',
      causes: expect.arrayContaining([
        'spec.ports[0].port: Invalid value: 70000: must be between 1 and 65535, inclusive',
        expect.stringMatching(/^spec\.externalTrafficPolicy: Unsupported value: "Lokal"/),
      ]),
    })
    await expect(create).rejects.toThrow(
      `Cannot create Service ${namespace}/web: 422 Invalid: Service "web" is invalid: `,
    )
  })
})

function bearing(token: string) {
  const credential = { authorization: `Bearer ${token}` }
  return { current: async () => credential, rejected: async () => false }
}
