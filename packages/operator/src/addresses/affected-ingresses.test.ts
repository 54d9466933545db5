import { emptyCaches } from '@portcullis/kube/testing'
import { expect, it } from 'vitest'
import { type Entry, publishedService } from './address-book.ts'
import { ingressesOfSource, ingressesSelectedByNamespace } from './affected-ingresses.ts'
import { defaultAddressSettings } from './settings.ts'
import { watchedKinds } from './watched-kinds.ts'

const rules = { ...defaultAddressSettings, classNames: ['ours'] }

/** Two Ingresses of the controller "default", in two namespaces, and one of another class. */
function someIngresses() {
  const caches = emptyCaches(watchedKinds)
  const anIngress = (namespace: string, name: string, ingressClassName: string) => ({
    metadata: { namespace, name, uid: name, resourceVersion: '1' },
    spec: { ingressClassName },
  })
  caches.ingresses.replace([
    anIngress('shop', 'web', 'ours'),
    anIngress('shop', 'foreign', 'theirs'),
    anIngress('blog', 'web', 'ours'),
  ])
  return caches
}

it('A Namespace affects its Ingresses of controllers with a namespaceSelector', () => {
  const affected = (entry?: Omit<Entry, 'addresses' | 'lostSince'>) => {
    const found = entry && { addresses: [], lostSince: undefined, ...entry }
    const book = { get: (source: unknown) => (source === 'default' ? found : undefined) }
    return [...ingressesSelectedByNamespace(someIngresses(), book, 'shop', rules)]
  }
  expect(affected({ shard: { namespaceSelector: { matchLabels: { a: 'b' } } } })).toEqual(['shop/web'])
  expect(affected({ shard: { routeSelector: { matchLabels: { a: 'b' } } } })).toEqual([])
  expect(affected({})).toEqual([])
  expect(affected()).toEqual([])
})

it('The addresses of a controller affect its Ingresses, those of the published Service the Ingresses of all', () => {
  const affected = (source: Parameters<typeof ingressesOfSource>[1]) => [
    ...ingressesOfSource(someIngresses(), source, rules),
  ]
  expect(affected('default')).toEqual(['shop/web', 'blog/web'])
  expect(affected('edge')).toEqual([])
  expect(affected(publishedService)).toEqual(['shop/web', 'blog/web'])
})
