import { type CacheReader, type Key, keyOfObject } from '@portcullis/kube'
import type {
  IngressClass as IngressClassObject,
  Ingress as IngressObject,
} from 'kubernetes-types/networking/v1'
import { belongingOf } from './ingress-class.ts'
import { publishedService } from './published-service.ts'
import type { AddressSettings } from './settings.ts'

// Which Ingresses have to be looked at again when something else changes.

interface Stores {
  readonly ingresses: CacheReader<IngressObject, 'class' | 'namespace'>
  readonly classes: CacheReader<IngressClassObject, never>
}

export function* ingressesOfClass({ ingresses }: Stores, name: string): Iterable<Key> {
  for (const ingress of ingresses.by('class', name)) yield keyOfObject(ingress)
}

export function* ingressesInNamespace({ ingresses }: Stores, namespace: string): Iterable<Key> {
  for (const ingress of ingresses.by('namespace', namespace)) yield keyOfObject(ingress)
}

export function* ingressesOfController(
  stores: Stores,
  controller: string,
  settings: AddressSettings,
): Iterable<Key> {
  const names = [...stores.classes.values()].map(({ metadata }) => metadata.name)
  for (const name of new Set(['', ...settings.classNames, ...names])) {
    for (const ingress of stores.ingresses.by('class', name)) {
      const belonging = belongingOf(ingress, (each) => stores.classes.get(each), settings)
      if (typeof belonging === 'object' && [belonging.to, publishedService].includes(controller))
        yield keyOfObject(ingress)
    }
  }
}
