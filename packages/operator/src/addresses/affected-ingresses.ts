import { type Key, keyOfObject } from '@portcullis/kube'
import { belongingOf } from './ingress-class.ts'
import { publishedService } from './published-service.ts'
import type { AddressSettings } from './settings.ts'
import type { Caches } from './watched-kinds.ts'

// Which Ingresses have to be reconciled when something else changes.

export function* ingressesOfClass({ ingresses }: Pick<Caches, 'ingresses'>, name: string): Iterable<Key> {
  for (const ingress of ingresses.by('class', name)) yield keyOfObject(ingress)
}

export function* ingressesInNamespace(
  { ingresses }: Pick<Caches, 'ingresses'>,
  namespace: string,
): Iterable<Key> {
  for (const ingress of ingresses.by('namespace', namespace)) yield keyOfObject(ingress)
}

export function* ingressesOfController(
  caches: Pick<Caches, 'ingresses' | 'classes'>,
  controller: string,
  settings: AddressSettings,
): Iterable<Key> {
  const names = [...caches.classes.values()].map(({ metadata }) => metadata.name)
  for (const name of new Set(['', ...settings.classNames, ...names])) {
    for (const ingress of caches.ingresses.by('class', name)) {
      const belonging = belongingOf(ingress, (each) => caches.classes.get(each), settings)
      if (typeof belonging === 'object' && [belonging.to, publishedService].includes(controller))
        yield keyOfObject(ingress)
    }
  }
}
