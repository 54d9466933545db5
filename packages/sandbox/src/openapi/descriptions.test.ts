import { expect, it } from 'vitest'
import { KubernetesDescriptions, parseDescriptions } from './descriptions.ts'

it('The descriptions are the comments of types and of their fields', () => {
  const found = parseDescriptions(`
      /** A boat. */
      export interface Boat {
          /** What it is called. */
          name?: string;
          /**
           * Those who row it:
           *   two at least.
           */
          "rowers": Array<string>;
      }
      export interface Oar {
          /** How long it is. */
          length: number;
      }`)
  expect(found.get('Boat')?.text).toBe('A boat.')
  expect(found.get('Boat')?.fields.get('name')).toBe('What it is called.')
  expect(found.get('Boat')?.fields.get('rowers')).toBe('Those who row it:\n  two at least.')
  expect(found.get('Oar')).toEqual({ fields: new Map([['length', 'How long it is.']]) })
})

it('The descriptions of Kubernetes come from the installed package', () => {
  const descriptions = new KubernetesDescriptions()
  expect(descriptions.of('networking/v1.Ingress')).toMatch(/^Ingress is /)
  expect(descriptions.of('core/v1.ServiceSpec', 'ports')).toMatch(/ports/)
  expect(descriptions.of('core/v1.Nothing')).toBeUndefined()
  expect(descriptions.of('nowhere/v1.Nothing')).toBeUndefined()
})
