import { expect, it } from 'vitest'
import { Node, Pod } from '../objects/kinds.ts'
import { emptyCaches } from '../testing/empty-caches.ts'
import { openCaches, watchedKind } from './watched-kind.ts'

const table = {
  nodes: watchedKind(Node),
  pods: watchedKind(Pod, {
    selection: { namespace: 'ns' },
    indexes: { node: ({ spec }) => [spec?.nodeName ?? ''] },
  }),
}

it('A table of watched kinds says what is watched without watching anything', () => {
  expect(table.nodes).toEqual({ kind: Node })
  expect(table.pods).toMatchObject({ kind: Pod, selection: { namespace: 'ns' } })
})

it('Every kind of a table is opened once, and its cache stands under the same name', () => {
  const given = emptyCaches(table)
  const opened: string[] = []
  const open = ({ kind }: { readonly kind: { readonly kind: string } }) => {
    opened.push(kind.kind)
    return (kind.kind === 'Node' ? given.nodes : given.pods) as never
  }
  const caches = openCaches(table, open)
  expect(opened).toEqual(['Node', 'Pod'])
  expect(caches).toEqual(given)
})

it('The cache of a kind finds objects by the indexes of the table', () => {
  const caches = emptyCaches(table)
  const metadata = { namespace: 'ns', name: 'p', uid: 'p', resourceVersion: '1' }
  caches.pods.replace([{ metadata, spec: { nodeName: 'worker', containers: [] } }])
  expect([...caches.pods.by('node', 'worker')]).toHaveLength(1)
})
