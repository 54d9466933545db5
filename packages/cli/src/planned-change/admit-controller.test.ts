import { expect, test } from 'vitest'
import { admitController } from './admit-controller.ts'

const admit = (spec: object, live?: object) => {
  const metadata = { namespace: 'n', name: 'edge' }
  return admitController({ metadata, spec }, live && { metadata, spec: live }, 'edge.yaml')
}

test('defaults are filled in as the API server fills them in', () => {
  const spec = { endpointPublishingStrategy: { type: 'HostNetwork', hostNetwork: { httpPort: 8080 } } }
  expect(admit(spec).spec?.endpointPublishingStrategy).toEqual({
    type: 'HostNetwork',
    hostNetwork: { httpPort: 8080, httpsPort: 443, statsPort: 1936 },
  })
})

test.each([
  ['a value', { replicas: -1 }, 'spec.replicas: Invalid value: -1'],
  [
    'a rule',
    { domain: 'Not A Domain' },
    'spec.domain: Invalid value: "Not A Domain": domain must be a DNS name',
  ],
  [
    'what is missing',
    { endpointPublishingStrategy: {} },
    'spec.endpointPublishingStrategy.type: Required value',
  ],
  [
    'a field that does not exist',
    { endpointPublishingStrategy: { type: 'HostNetwork', hostNetwork: { httpprt: 1 } } },
    'spec.endpointPublishingStrategy.hostNetwork.httpprt: unknown field',
  ],
])('%s that the API server would refuse is refused, with the field', (_, spec, words) => {
  expect(() => admit(spec)).toThrow(words)
  expect(() => admit(spec, { replicas: 1 })).toThrow(/^edge\.yaml: the API server would reject/)
})

test('a field that only the cluster knows stays where it is, and is no reason to refuse anything', () => {
  const strategy = (more: object) => ({
    endpointPublishingStrategy: { type: 'HostNetwork', hostNetwork: more },
  })
  const live = strategy({ httpPort: 80, httpsPort: 443, statsPort: 1936, ofNextYear: 1 })
  const wanted = strategy({ httpPort: 8080, httpsPort: 443, statsPort: 1936, ofNextYear: 1 })
  expect(admit(wanted, live).spec).toEqual(wanted)
  expect(() => admit(strategy({ ofTheYearAfter: 1 }), live)).toThrow('ofTheYearAfter: unknown field')
})

test('what is null in a new controller is not there', () => {
  expect(admit({ replicas: null }).spec).toEqual({})
})
