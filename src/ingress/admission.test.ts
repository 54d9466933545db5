import { describe, expect, test } from 'vitest'
import { anIngressController } from '../../test/ingress/a-snapshot.ts'
import type { Scene } from '../../test/ingress/scene.ts'

const refusal = (edge: Scene) => {
  edge.settle()
  const { status, reason, message } = edge.condition('Admitted')
  return { status, reason, message }
}

/** Another controller that wants a domain. */
const rival = (domain: string, { since = '2029-01-01T00:00:00Z', holds = true } = {}) => ({
  metadata: { name: 'rival', uid: 'rival', resourceVersion: '1', creationTimestamp: since },
  spec: { domain },
  status: holds ? { domain, conditions: [{ type: 'Admitted', status: 'True' }] } : {},
})

test('what can be published is admitted', () => {
  expect(refusal(anIngressController().on('AWS'))).toMatchObject({ status: 'True', reason: 'Valid' })
})

describe('a name', () => {
  test.each(['dotted.name', 'x'.repeat(48)])(
    'like %s, after which no Service can be named, is refused',
    (name) => {
      const edge = anIngressController(name).on('AWS')
      expect(refusal(edge)).toMatchObject({ status: 'False', reason: 'Invalid' })
      expect(edge.decide().actions).toEqual([])
    },
  )

  test('of 47 characters is not', () => {
    expect(refusal(anIngressController('x'.repeat(47)).on('AWS')).status).toBe('True')
  })
})

describe('a domain', () => {
  test('must come from the spec or from the operator', () => {
    const edge = anIngressController().on('AWS')
    edge.settings = { ...edge.settings, defaultDomain: undefined }
    expect(refusal(edge).message).toContain('start the operator with --domain')
    edge.spec({ domain: 'mine.example.com' })
    expect(refusal(edge).status).toBe('True')
    expect(edge.controller.status.domain).toBe('mine.example.com')
  })

  test('must leave room for the host name of the routers', () => {
    const domain = `${'a'.repeat(60)}.`.repeat(4) + 'example.com'
    expect(refusal(anIngressController().on('AWS').spec({ domain })).message).toMatch(
      /too long.*253 is the limit/,
    )
  })

  test('that another holds is refused, with the name of the holder', () => {
    const edge = anIngressController().on('AWS').spec({ domain: 'shared.example.com' })
    edge.others = [rival('shared.example.com')]
    expect(refusal(edge).message).toContain('"shared.example.com", which the IngressController "rival" holds')
    expect(edge.decide().actions).toEqual([])
  })

  test('is had as soon as the holder is gone, or wants another', () => {
    const edge = anIngressController().on('AWS').spec({ domain: 'shared.example.com' })
    edge.others = [rival('shared.example.com')]
    edge.settle()
    edge.others = []
    expect(refusal(edge).status).toBe('True')
  })

  test('of several who want it, whoever was admitted has it, however young; else the eldest', () => {
    const edge = anIngressController().on('AWS').spec({ domain: 'shared.example.com' })
    edge.others = [rival('shared.example.com', { since: '2031-01-01T00:00:00Z', holds: false })]
    expect(refusal(edge).status).toBe('True')
    edge.others = [rival('shared.example.com', { since: '2028-01-01T00:00:00Z', holds: false })]
    expect(refusal(edge).status).toBe('True') // It holds it by now.
    const other = anIngressController().on('AWS').spec({ domain: 'shared.example.com' })
    other.others = [rival('shared.example.com', { since: '2028-01-01T00:00:00Z', holds: false })]
    expect(refusal(other).status).toBe('False')
  })

  test('of a controller that was refused once does not shift its defaults (OCPBUGS-63219)', () => {
    const edge = anIngressController().on('AWS').scoped('Internal').published()
    const before = edge.service
    edge.spec({ domain: 'shared.example.com' })
    edge.others = [rival('shared.example.com')]
    edge.settle()
    edge.spec({ domain: null }).settle()
    expect(edge.service).toBe(before)
    expect(edge.condition('Admitted').status).toBe('True')
  })
})

describe('a strategy', () => {
  test('that depends on an unknown platform is refused, in the words of whoever looked for it', () => {
    const edge = anIngressController()
    expect(refusal(edge).message).toContain('The platform of the cluster is not known: nobody said.')
    edge.scoped('External')
    expect(refusal(edge).message).toMatch(/LoadBalancerService depends on the platform\. The platform/)
    expect(edge.decide().actions).toEqual([])
  })

  test('that does not depend on it is published all the same', () => {
    const edge = anIngressController().spec({ endpointPublishingStrategy: { type: 'Private' } })
    expect(refusal(edge).status).toBe('True')
  })

  test.each(['BareMetal', 'None', 'VSphere'])('Internal is refused on %s, in words', (platform) => {
    const edge = anIngressController().on(platform).scoped('Internal')
    expect(refusal(edge).message).toContain(
      `on the platform ${platform} there is no way to ask for an internal`,
    )
    expect(edge.decide().actions).toEqual([])
    edge.scoped('External')
    expect(refusal(edge).status).toBe('True')
  })
})

test('a controller that is refused goes on as it was, and nothing new is begun', () => {
  const edge = anIngressController().on('BareMetal').scoped('External').published()
  const [service, deployment] = [edge.service, edge.deployment]
  edge.spec({ replicas: 5 }).scoped('Internal').settle()
  expect(edge.condition('Admitted').status).toBe('False')
  expect([edge.service, edge.deployment]).toEqual([service, deployment])
  expect(edge.condition('Available').status).toBe('True')
  expect(edge.condition('Degraded').status).toBe('True')
})
