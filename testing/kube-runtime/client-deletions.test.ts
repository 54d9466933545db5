import { ConfigMap, isConflict, isNotFound, Pod } from '@portcullis/kube'
import { describe, expect, test } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { sharedControlPlane } from '../clusters/shared-control-plane.ts'
import { aNamespace } from '../clusters/test-client.ts'
import { isGone } from './is-gone.ts'

const plane = sharedControlPlane()

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
