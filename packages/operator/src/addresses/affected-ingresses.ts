import { type Key, keyOfObject } from '@portcullis/kube'
import { type AddressBook, type AddressSource, publishedService } from './address-book.ts'
import { belongingOf, type ClassRules } from './ingress-class.ts'
import type { Caches } from './watched-kinds.ts'

// Which Ingresses have to be reconciled when something else changes.

export function* ingressesOfClass({ ingresses }: Pick<Caches, 'ingresses'>, name: string): Iterable<Key> {
  for (const ingress of ingresses.by('class', name)) yield keyOfObject(ingress)
}

/** Those of controllers that select by the labels of namespaces. */
export function* ingressesSelectedByNamespace(
  caches: Pick<Caches, 'ingresses' | 'classes'>,
  book: Pick<AddressBook, 'get'>,
  namespace: string,
  rules: ClassRules,
): Iterable<Key> {
  for (const ingress of caches.ingresses.by('namespace', namespace)) {
    const belonging = belongingOf(ingress, (each) => caches.classes.get(each), rules)
    if (typeof belonging !== 'object') continue
    if (book.get(belonging.to)?.shard?.namespaceSelector !== undefined) yield keyOfObject(ingress)
  }
}

/** Those that have the addresses of a source. */
export function* ingressesOfSource(
  caches: Pick<Caches, 'ingresses' | 'classes'>,
  source: AddressSource,
  rules: ClassRules,
): Iterable<Key> {
  const names = [...caches.classes.values()].map(({ metadata }) => metadata.name)
  for (const name of new Set(['', ...rules.classNames, ...names])) {
    for (const ingress of caches.ingresses.by('class', name)) {
      const belonging = belongingOf(ingress, (each) => caches.classes.get(each), rules)
      if (typeof belonging !== 'object') continue
      if (source === publishedService || source === belonging.to) yield keyOfObject(ingress)
    }
  }
}
