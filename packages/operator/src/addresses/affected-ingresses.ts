import { type CacheReader, type Key, keyOfObject } from '@portcullis/kube'
import type {
  IngressClass as IngressClassObject,
  Ingress as IngressObject,
} from 'kubernetes-types/networking/v1'
import { belongingOf } from './ingress-class.ts'
import { publishedService } from './published-service.ts'
import type { AddressSettings } from './settings.ts'

// Which Ingresses have to be looked at again when something else changes.

interface Caches {
  readonly ingresses: CacheReader<IngressObject, 'class' | 'namespace'>
  readonly classes: CacheReader<IngressClassObject, never>
}

export function* ingressesOfClass({ ingresses }: Caches, name: string): Iterable<Key> {
  for (const ingress of ingresses.by('class', name)) yield keyOfObject(ingress)
}

export function* ingressesInNamespace({ ingresses }: Caches, namespace: string): Iterable<Key> {
  for (const ingress of ingresses.by('namespace', namespace)) yield keyOfObject(ingress)
}

export function* ingressesOfController(
  caches: Caches,
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
