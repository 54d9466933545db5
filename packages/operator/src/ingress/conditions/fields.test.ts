import { expect, test } from 'vitest'
import { anIngressController } from '../../testing/a-snapshot.ts'
import { allFieldsSupported } from './fields.ts'

const fields = 'AllFieldsSupported'

test('AllFieldsSupported is True if every field takes effect', () => {
  const edge = anIngressController().on('AWS').scoped('Internal').published()
  expect(edge.condition(fields)).toMatchObject({ status: 'True', reason: 'NothingIgnored' })
})

test('AllFieldsSupported lists the paths of the fields that are set but have no effect', () => {
  const edge = anIngressController()
    .on('AWS')
    .spec({ tuningOptions: { threadCount: 8 }, httpHeaders: { uniqueId: { name: 'x' } } })
  edge.settle()
  expect(edge.condition(fields)).toMatchObject({ status: 'False', reason: 'FieldsIgnored' })
  expect(edge.condition(fields).message).toContain('spec.httpHeaders.uniqueId, spec.tuningOptions')
  expect(edge.condition('Admitted').status).toBe('True')
  expect(edge.condition('Degraded').status).toBe('False')
})

test('AllFieldsSupported is also reported for an IngressController that is not admitted', () => {
  const edge = anIngressController('dotted.name')
    .on('AWS')
    .spec({ tuningOptions: { threadCount: 8 } })
  edge.settle()
  expect(edge.condition(fields).status).toBe('False')
})

const parameters = 'spec.endpointPublishingStrategy.loadBalancer.providerParameters'
const clientAccess = { type: 'GCP', gcp: { clientAccess: 'Global' } } as const
const networkType = { type: 'AWS', aws: { type: 'NLB' } } as const

test.each([
  ['GCP', 'Internal', clientAccess, undefined],
  ['GCP', 'External', clientAccess, `${parameters}.gcp.clientAccess (only with scope Internal)`],
  ['Azure', 'Internal', clientAccess, `${parameters}.gcp.clientAccess (only on GCP)`],
  ['AWS', 'External', networkType, undefined],
  ['Azure', 'External', networkType, `${parameters}.aws.type (only on AWS)`],
  ['Azure', 'External', undefined, undefined],
] as const)(
  'On %s with scope %s the provider parameters %o count as ignored: %s',
  (platform, scope, providerParameters, ignored) => {
    const snapshot = anIngressController().on(platform).snapshot()
    const loadBalancer = { scope, ...(providerParameters && { providerParameters }) }
    const { status, message } = allFieldsSupported(snapshot, { type: 'LoadBalancerService', loadBalancer })
    expect(status).toBe(ignored === undefined ? 'True' : 'False')
    if (ignored !== undefined) expect(message).toBe(`These fields are set but have no effect: ${ignored}.`)
  },
)

test.each([
  [50, /, spec\.field149\.$/],
  [51, /, spec\.field149 and 1 more\.$/],
])('AllFieldsSupported names fifty of %i fields without effect and counts the others', (count, end) => {
  const fields = Array.from({ length: count }, (_, number) => [`field${100 + number}`, 'set'])
  const snapshot = anIngressController().on('AWS').spec(Object.fromEntries(fields)).snapshot()
  const { message } = allFieldsSupported(snapshot, undefined)
  expect(message).toMatch(end)
  expect(message.match(/spec\.field/g)).toHaveLength(50)
})
