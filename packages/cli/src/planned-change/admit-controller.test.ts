import { expect, test } from 'vitest'
import { admitController } from './admit-controller.ts'

const admit = (spec: object, live?: object) => {
  const metadata = { namespace: 'n', name: 'edge' }
  return admitController({ metadata, spec }, live && { metadata, spec: live }, 'edge.yaml')
}

test('The admitted IngressController has the defaults that the API server would set', () => {
  const spec = { endpointPublishingStrategy: { type: 'HostNetwork', hostNetwork: { httpPort: 8080 } } }
  expect(admit(spec).spec?.endpointPublishingStrategy).toEqual({
    type: 'HostNetwork',
    hostNetwork: { httpPort: 8080, httpsPort: 443, statsPort: 1936 },
  })
})

test.each([
  ['a value that is out of range', { replicas: -1 }, 'spec.replicas: Invalid value: -1'],
  [
    'a domain that is not valid',
    { domain: 'Not A Domain' },
    'spec.domain: Invalid value: "Not A Domain": domain must be a DNS name',
  ],
  [
    'a required field missing',
    { endpointPublishingStrategy: {} },
    'spec.endpointPublishingStrategy.type: Required value',
  ],
  [
    'a field that does not exist',
    { endpointPublishingStrategy: { type: 'HostNetwork', hostNetwork: { httpprt: 1 } } },
    'spec.endpointPublishingStrategy.hostNetwork.httpprt: unknown field',
  ],
])('An IngressController with %s is refused, and the error names the field', (_, spec, words) => {
  expect(() => admit(spec)).toThrow(words)
  expect(() => admit(spec, { replicas: 1 })).toThrow(/^edge\.yaml: the API server would reject/)
})

test('An unknown field of the live IngressController is kept, and a new unknown field is refused', () => {
  const strategy = (more: object) => ({
    endpointPublishingStrategy: { type: 'HostNetwork', hostNetwork: more },
  })
  const live = strategy({ httpPort: 80, httpsPort: 443, statsPort: 1936, ofNextYear: 1 })
  const wanted = strategy({ httpPort: 8080, httpsPort: 443, statsPort: 1936, ofNextYear: 1 })
  expect(admit(wanted, live).spec).toEqual(wanted)
  expect(() => admit(strategy({ ofTheYearAfter: 1 }), live)).toThrow('ofTheYearAfter: unknown field')
})

test('A null field of a new IngressController is removed', () => {
  expect(admit({ replicas: null }).spec).toEqual({})
})
