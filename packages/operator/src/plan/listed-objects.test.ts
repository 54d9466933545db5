import { ApiError, Ingress, type Kind, KindNotServedError } from '@portcullis/kube'
import { expect, it } from 'vitest'
import { Infrastructure } from '../ingress/kinds.ts'
import { defaultSettings } from '../ingress/settings.ts'
import { watchedKinds } from '../ingress/watched-kinds.ts'
import { listObjects } from './listed-objects.ts'

/** A client that remembers what it is asked for. */
function aClient(answer: (kind: Kind) => object[] = () => []) {
  const asked: { kind: string; namespace?: string; fieldSelector?: string }[] = []
  const list = async (
    kind: Kind,
    { namespace, fieldSelector }: { namespace?: string; fieldSelector?: string },
  ) => {
    asked.push({ kind: kind.kind, ...(namespace && { namespace }), ...(fieldSelector && { fieldSelector }) })
    return { items: answer(kind) }
  }
  return { asked, client: { list } as unknown as Parameters<typeof listObjects>[0] }
}

it('A plan lists every kind that the operator watches, in the same selection, and all Ingresses', async () => {
  const { client, asked } = aClient(({ kind }) => [{ kind }])
  const objects = await listObjects(client, defaultSettings)
  const watched = Object.values(watchedKinds(defaultSettings)).map(({ kind, ...options }) => ({
    kind: kind.kind,
    ...('selection' in options && options.selection),
  }))
  expect(asked).toEqual([{ kind: Ingress.kind }, ...watched])
  expect(objects['Pod']).toEqual([{ kind: 'Pod' }])
})

it('A plan of a cluster without the Infrastructure kind takes it for one that has none', async () => {
  const { client } = aClient((kind) => {
    if (kind === Infrastructure) throw new KindNotServedError(kind)
    return []
  })
  expect(await listObjects(client, defaultSettings)).toMatchObject({ Infrastructure: [] })
})

it('A plan is not made from a kind that could not be listed', async () => {
  const { client } = aClient((kind) => {
    if (kind === Infrastructure) return []
    throw new ApiError(`list ${kind.kind}`, 403, {})
  })
  await expect(listObjects(client, defaultSettings)).rejects.toThrow('403')
})
