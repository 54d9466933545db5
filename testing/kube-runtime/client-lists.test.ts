import { ConfigMap } from '@portcullis/kube'
import { describe, expect, test } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { sharedControlPlane } from '../clusters/shared-control-plane.ts'
import { aNamespace } from '../clusters/test-client.ts'

const plane = sharedControlPlane()

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
