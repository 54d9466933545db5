import { describe, expect, test } from 'vitest'
import { anIngressController } from '../../testing/a-snapshot.ts'

describe('client access on GCP', () => {
  const key = 'networking.gke.io/internal-load-balancer-allow-global-access'
  const parameters = (clientAccess: unknown) => ({
    providerParameters: { type: 'GCP', gcp: { clientAccess } },
  })
  const internal = () => anIngressController().on('GCP').scoped('Internal').published()

  test('Client access on GCP is not annotated if it was never set', () => {
    expect(internal().annotations).not.toHaveProperty([key])
  })

  test.each([
    ['Global', 'true'],
    ['Local', 'false'],
  ])(
    'Client access of %s is annotated as "%s" on a new Service and on an existing one',
    (clientAccess, value) => {
      const live = internal().asking(parameters(clientAccess))
      live.settle()
      expect(live.annotations[key]).toBe(value)
      const fresh = anIngressController()
        .on('GCP')
        .asking({ scope: 'Internal', ...parameters(clientAccess) })
      fresh.settle()
      expect(fresh.annotations[key]).toBe(value)
    },
  )

  test.each([
    ['the field', parameters(null)],
    ['gcp', { providerParameters: { gcp: null } }],
    ['providerParameters', { providerParameters: null }],
  ])('Client access is removed from the annotations and the status when %s is removed', (_, removal) => {
    const edge = internal().asking(parameters('Global'))
    edge.settle()
    edge.asking(removal).settle()
    expect(edge.annotations).not.toHaveProperty([key])
    expect(
      edge.controller.status.endpointPublishingStrategy.loadBalancer.providerParameters?.gcp?.clientAccess,
    ).toBeUndefined()
    edge.scoped('External').settle()
    edge.scoped('Internal').settle()
    expect(edge.annotations).not.toHaveProperty([key])
  })

  test('Client access is not annotated with scope External, and annotated again with scope Internal', () => {
    const edge = internal().asking(parameters('Global'))
    edge.settle()
    edge.scoped('External').settle()
    expect(edge.annotations).not.toHaveProperty([key])
    edge.scoped('Internal').settle()
    expect(edge.annotations[key]).toBe('true')
  })

  test('Client access keeps an annotation that the user set and the operator never did', () => {
    const edge = internal().edit('Service', { metadata: { annotations: { [key]: 'true' } } })
    edge.settle()
    expect(edge.annotations[key]).toBe('true')
  })

  test.each(['AWS', 'Azure', 'IBMCloud'])(
    'Client access on %s changes nothing on the Service, and that is reported',
    (on) => {
      const edge = anIngressController()
        .on(on)
        .asking({ scope: 'Internal', ...parameters('Global') })
      edge.settle()
      expect(edge.annotations).not.toHaveProperty([key])
      expect(edge.condition('AllFieldsSupported')).toMatchObject({ status: 'False', reason: 'FieldsIgnored' })
    },
  )
})
