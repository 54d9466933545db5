import {
  type Client,
  isNotFound,
  type Kind,
  KindNotServedError,
  type KubeObject,
  kind,
} from '@portcullis/kube'
import type { CustomResourceDefinition as Definition } from 'kubernetes-types/apiextensions/v1'
import type { Scale } from 'kubernetes-types/autoscaling/v1'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { sharedControlPlane } from '../clusters/shared-control-plane.ts'
import { adminAccess, aNamespace, connect } from '../clusters/test-client.ts'

const CustomResourceDefinition = kind<Definition>('apiextensions.k8s.io/v1', 'CustomResourceDefinition')

interface Octopus extends KubeObject {
  spec?: { arms: number }
  status?: { arms: number }
}

const plane = sharedControlPlane()

/** A sea of the test's own, in which octopuses can be made known, and unknown again. */
function aSea(client: Client) {
  const group = `sea-${crypto.randomUUID().slice(0, 8)}.example.com`
  const define = async (plural: string, change: Partial<Definition['spec']> = {}) => {
    const metadata = { name: `${plural}.${group}` }
    await client.create(CustomResourceDefinition, {
      metadata,
      spec: { ...aDefinition(group, plural), ...change },
    })
    onTestFinished(() => client.delete(CustomResourceDefinition, metadata).catch(() => {}))
  }
  const undefine = async (plural: string) => {
    const ref = { name: `${plural}.${group}` }
    await client.delete(CustomResourceDefinition, ref)
    await eventually(() => expect(client.get(CustomResourceDefinition, ref)).rejects.toSatisfy(isNotFound))
  }
  return { group, Octopus: kind<Octopus>(`${group}/v1`, 'Octopus'), define, undefine }
}

function aDefinition(group: string, plural: string): Definition['spec'] {
  const arms = { type: 'object', properties: { arms: { type: 'integer' } } } as const
  return {
    group,
    scope: 'Namespaced',
    names: { plural, singular: 'octopus', kind: 'Octopus', listKind: 'OctopusList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: arms, status: arms } } },
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.arms', statusReplicasPath: '.status.arms' },
        },
      },
    ],
  }
}

/** Until a new client finds the kind: the server takes a moment to serve a new one. */
async function isServed(octopus: Kind<Octopus>): Promise<void> {
  const access = await adminAccess(plane)
  await eventually(() => connect(access).list(octopus))
}

test('A kind that is not served is an error that says what to do, and the same client finds it once it is served', async () => {
  const { client, namespace } = await aNamespace(plane)
  const { group, Octopus, define } = aSea(client)
  const paul = { namespace, name: 'paul' }
  await expect(client.get(Octopus, paul)).rejects.toThrow(KindNotServedError)
  await expect(client.create(Octopus, { metadata: paul })).rejects.toThrow(
    `The API server does not serve Octopus of ${group}/v1; ` +
      'check that its CustomResourceDefinition is installed and that the version is right (kubectl api-resources)',
  )
  await define('octopi')
  const created = await eventually(() => client.create(Octopus, { metadata: paul, spec: { arms: 8 } }))
  expect(await client.get(Octopus, paul)).toEqual(created)
  expect((await client.list(Octopus, { namespace })).items).toEqual([created])
})

test('A kind that is not served is an error for a watch too', async () => {
  const { client } = await aNamespace(plane)
  const { Octopus } = aSea(client)
  const watching = client.watchOnce(Octopus, {
    resourceVersion: '0',
    timeoutSeconds: 1,
    signal: AbortSignal.timeout(10_000),
  })
  await expect(watching).rejects.toThrow(KindNotServedError)
})

test('A version or a kind that a served group does not have is not served', async () => {
  const { client, namespace } = await aNamespace(plane)
  const { group, Octopus, define } = aSea(client)
  await define('octopi')
  await isServed(Octopus)
  const ref = { namespace, name: 'paul' }
  await expect(client.get(kind(`${group}/v2`, 'Octopus'), ref)).rejects.toThrow(KindNotServedError)
  await expect(client.get(kind(`${group}/v1`, 'Squid'), ref)).rejects.toThrow(KindNotServedError)
  await expect(client.get(kind(`${group}/v1`, 'OctopusList'), ref)).rejects.toThrow(KindNotServedError)
  // Only a subresource of pods is of this kind.
  await expect(client.get(kind('v1', 'PodAttachOptions'), ref)).rejects.toThrow(KindNotServedError)
})

test('The subresources of a custom kind are found', async () => {
  const { client, namespace } = await aNamespace(plane)
  const { Octopus, define } = aSea(client)
  await define('octopi')
  await isServed(Octopus)
  const paul = { namespace, name: 'paul' }
  await client.create(Octopus, { metadata: paul, spec: { arms: 8 }, status: { arms: 5 } })
  const status = { arms: 7 }
  const body = { spec: { arms: 1 }, status }
  const patched = await client.patch(Octopus, paul, { type: 'merge', body }, { subresource: 'status' })
  expect(patched).toMatchObject({ spec: { arms: 8 }, status })

  const ScaleOfOctopus = kind<Scale>(Octopus.apiVersion, Octopus.kind)
  const scale = { type: 'merge', body: { spec: { replicas: 6 } } } as const
  expect(await client.patch(ScaleOfOctopus, paul, scale, { subresource: 'scale' })).toMatchObject({
    kind: 'Scale',
    spec: { replicas: 6 },
    status: { replicas: 7 },
  })
  expect((await client.get(Octopus, paul)).spec).toEqual({ arms: 6 })
  await expect(client.get(Octopus, paul, { subresource: 'ink' })).rejects.toThrow(
    'Octopus has no subresource "ink" (it has: status, scale)',
  )
})

test('A subresource that is added to the definition later is found', async () => {
  const { client, namespace } = await aNamespace(plane)
  const { group, Octopus, define } = aSea(client)
  const { versions, ...spec } = aDefinition(group, 'octopi')
  await define('octopi', { versions: versions.map((version) => ({ ...version, subresources: {} })) })
  await isServed(Octopus)
  const paul = { namespace, name: 'paul' }
  await client.create(Octopus, { metadata: paul })
  const patchStatus = () =>
    client.patch(Octopus, paul, { type: 'merge', body: { status: { arms: 8 } } }, { subresource: 'status' })
  await expect(patchStatus()).rejects.toThrow('Octopus has no subresource "status" (it has: none)')

  const ref = { name: `octopi.${group}` }
  await client.patch(CustomResourceDefinition, ref, { type: 'merge', body: { spec: { ...spec, versions } } })
  expect((await eventually(patchStatus)).status).toEqual({ arms: 8 })
})

test('A removed kind is not served, and the same client finds it again under another plural', async () => {
  const { client, namespace } = await aNamespace(plane)
  const { Octopus, define, undefine } = aSea(client)
  const paul = { namespace, name: 'paul' }
  await define('octopi')
  await isServed(Octopus)
  await client.list(Octopus)
  await undefine('octopi')
  await eventually(() => expect(client.get(Octopus, paul)).rejects.toThrow(KindNotServedError))

  await define('octopodes')
  await isServed(Octopus)
  await client.list(Octopus)
  await undefine('octopodes')
  await define('octopuses')
  await isServed(Octopus)
  // The client still knows the path of before: that it is wrong costs one request, not every one from now on.
  await expect(client.list(Octopus)).rejects.toMatchObject({ code: 404 })
  expect(await client.list(Octopus)).toMatchObject({ items: [] })
})

test('A kind that comes back in another scope is found in that scope', async () => {
  const { client, namespace } = await aNamespace(plane)
  const { Octopus, define, undefine } = aSea(client)
  await define('octopi')
  await isServed(Octopus)
  await client.list(Octopus, { namespace })
  await undefine('octopi')
  await define('octopi', { scope: 'Cluster' })
  await isServed(Octopus)
  const created = await client.create(Octopus, { metadata: { name: 'paul' } })
  expect(await client.get(Octopus, { name: 'paul' })).toEqual(created)
})
