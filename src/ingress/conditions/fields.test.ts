import { expect, test } from 'vitest'
import { anIngressController } from '../../../test/ingress/a-snapshot.ts'

const fields = 'AllFieldsSupported'

test('where every field has its effect, that is said', () => {
  const edge = anIngressController().on('AWS').scoped('Internal').published()
  expect(edge.condition(fields)).toMatchObject({ status: 'True', reason: 'NothingIgnored' })
})

test('one condition lists by path what is set and has no effect', () => {
  const edge = anIngressController()
    .on('AWS')
    .spec({ tuningOptions: { threadCount: 8 }, httpHeaders: { uniqueId: { name: 'x' } } })
  edge.settle()
  expect(edge.condition(fields)).toMatchObject({ status: 'False', reason: 'FieldsIgnored' })
  expect(edge.condition(fields).message).toContain('spec.httpHeaders.uniqueId, spec.tuningOptions')
  expect(edge.condition('Admitted').status).toBe('True')
  expect(edge.condition('Degraded').status).toBe('False')
})

test.each([
  ['AWS', 'Internal', 'gcp.clientAccess (only on GCP)'],
  ['GCP', 'External', 'gcp.clientAccess (only with scope Internal)'],
])('clientAccess on %s with scope %s is named', (platform, scope, text) => {
  const edge = anIngressController()
    .on(platform)
    .asking({ scope, providerParameters: { type: 'GCP', gcp: { clientAccess: 'Global' } } })
  edge.settle()
  expect(edge.condition(fields).message).toContain(text)
})

test('a type of load balancer that only AWS has is named elsewhere', () => {
  const edge = anIngressController()
    .on('Azure')
    .asking({ scope: 'External', providerParameters: { type: 'AWS', aws: { type: 'NLB' } } })
  edge.settle()
  expect(edge.condition(fields).message).toContain('aws.type (only on AWS)')
})

test('also a controller that is refused is told', () => {
  const edge = anIngressController('dotted.name')
    .on('AWS')
    .spec({ tuningOptions: { threadCount: 8 } })
  edge.settle()
  expect(edge.condition(fields).status).toBe('False')
})
