import { describe, expect, test } from 'vitest'
import { anIngressController } from '../testing/a-snapshot.ts'
import type { Scene } from '../testing/scene.ts'

const refusal = (edge: Scene) => {
  edge.settle()
  const { status, reason, message } = edge.condition('Admitted')
  return { status, reason, message }
}

/** Another controller that wants a domain. */
const claimant = (domain: string, { since = '2029-01-01T00:00:00Z', holds = true } = {}) => ({
  metadata: { name: 'rival', uid: 'rival', resourceVersion: '1', creationTimestamp: since },
  spec: { domain },
  status: holds ? { domain, conditions: [{ type: 'Admitted', status: 'True' }] } : {},
})

test('A controller that can be published is admitted', () => {
  expect(refusal(anIngressController().on('AWS'))).toMatchObject({ status: 'True', reason: 'Valid' })
})

describe('a name', () => {
  test.each(['dotted.name', 'x'.repeat(48)])(
    'A name like %s, after which no Service can be named, is refused',
    (name) => {
      const edge = anIngressController(name).on('AWS')
      expect(refusal(edge)).toMatchObject({ status: 'False', reason: 'Invalid' })
      expect(edge.decide().actions).toEqual([])
    },
  )

  test('A name of 47 characters is refused', () => {
    expect(refusal(anIngressController('x'.repeat(47)).on('AWS')).status).toBe('True')
  })
})

describe('a name under which Services of another controller are', () => {
  const other = (name: string, { since = '2029-01-01T00:00:00Z', isAdmitted = true } = {}) => ({
    metadata: { name, uid: name, resourceVersion: '1', creationTimestamp: since },
    spec: { domain: 'other.example.com' },
    status: isAdmitted
      ? { domain: 'other.example.com', endpointPublishingStrategy: { type: 'Private' } }
      : {},
  })

  test.each([
    ['internal-default', 'default', 'router-internal-default'],
    ['nodeport-default', 'default', 'router-nodeport-default'],
    ['default', 'internal-default', 'router-internal-default'],
    ['internal-nodeport-a', 'nodeport-a', 'router-internal-nodeport-a'],
  ])('A name such as %s beside %s is refused, with the Service and what to do', (name, elder, service) => {
    const edge = anIngressController(name).on('AWS')
    edge.others = [other(elder)]
    const { status, reason, message } = refusal(edge)
    expect({ status, reason }).toEqual({ status: 'False', reason: 'Invalid' })
    expect(message).toContain(
      `its Service openshift-ingress/${service} is already used by the IngressController "${elder}"`,
    )
    expect(message).toContain(`\`kubectl -n openshift-ingress-operator delete ingresscontrollers/${name}\``)
    expect(edge.decide().actions).toEqual([])
    edge.others = []
    expect(refusal(edge).status).toBe('True')
  })

  test('A name under which Services of another controller are is granted to the older of two new controllers, and always kept by one that was admitted', () => {
    const edge = anIngressController('default').on('AWS')
    edge.others = [other('internal-default', { since: '2031-01-01T00:00:00Z', isAdmitted: false })]
    expect(refusal(edge).status).toBe('True')
    edge.others = [other('internal-default', { since: '2028-01-01T00:00:00Z' })]
    expect(refusal(edge).status).toBe('True')
  })

  test('A name under which Services of another controller are is refused to the younger of two new controllers', () => {
    const edge = anIngressController('default').on('AWS')
    edge.others = [other('internal-default', { isAdmitted: false })]
    expect(refusal(edge).status).toBe('False')
  })

  test('A name under which Services of another controller are is refused to the older controller if the younger one was admitted first', () => {
    const edge = anIngressController('default').on('AWS')
    edge.others = [other('internal-default', { since: '2031-01-01T00:00:00Z' })]
    expect(refusal(edge).status).toBe('False')
  })
})

describe('more routers than the operator allows', () => {
  test('More routers than the operator allows are refused, with the number and with what to do', () => {
    const edge = anIngressController().on('AWS').spec({ replicas: 51 })
    expect(refusal(edge)).toMatchObject({
      status: 'False',
      message: expect.stringContaining(
        'spec.replicas is 51, which exceeds the maximum of 50: lower it, or start the operator with --max-replicas 51.',
      ),
    })
    expect(edge.decide().actions).toEqual([])
    expect(refusal(edge.spec({ replicas: 50 })).status).toBe('True')
  })

  test('More routers are admitted if the operator is configured to allow them', () => {
    const edge = anIngressController().on('AWS').spec({ replicas: 51 })
    edge.settings = { ...edge.settings, maxReplicas: 51 }
    expect(refusal(edge).status).toBe('True')
  })

  test('A refusal of more routers leaves a controller that runs with as many as were admitted', () => {
    const edge = anIngressController().on('AWS').spec({ replicas: 3 }).published()
    expect(refusal(edge.spec({ replicas: 5000 })).status).toBe('False')
    expect(edge.deployment.spec.replicas).toBe(3)
    edge.edit('Deployment', { spec: { minReadySeconds: 0 } }).settle()
    expect(edge.deployment.spec).toMatchObject({ replicas: 3, minReadySeconds: 30 })
  })
})

describe('a domain', () => {
  test('A domain must come from the spec or from the operator', () => {
    const edge = anIngressController().on('AWS')
    edge.settings = { ...edge.settings, defaultDomain: undefined }
    expect(refusal(edge).message).toContain('start the operator with --domain')
    edge.spec({ domain: 'mine.example.com' })
    expect(refusal(edge).status).toBe('True')
    expect(edge.controller.status.domain).toBe('mine.example.com')
  })

  test('A domain must leave room for the host name of the routers', () => {
    const domain = `${'a'.repeat(60)}.`.repeat(4) + 'example.com'
    expect(refusal(anIngressController().on('AWS').spec({ domain })).message).toMatch(
      /too long.*the limit is 253/,
    )
    const ofLength = (length: number) => 'a.'.repeat(130).slice(0, length - 'router-edge.'.length - 1) + 'b'
    expect(
      refusal(
        anIngressController()
          .on('AWS')
          .spec({ domain: ofLength(253) }),
      ).status,
    ).toBe('True')
    expect(
      refusal(
        anIngressController()
          .on('AWS')
          .spec({ domain: ofLength(254) }),
      ).status,
    ).toBe('False')
  })

  test('A domain that another controller holds is refused, with the name of the holder', () => {
    const edge = anIngressController().on('AWS').spec({ domain: 'shared.example.com' })
    edge.others = [claimant('shared.example.com')]
    expect(refusal(edge)).toMatchObject({
      reason: 'DomainHeld',
      message: expect.stringContaining(
        '"shared.example.com", which is already used by the IngressController "rival": choose another domain, or delete that',
      ),
    })
    expect(edge.decide().actions).toEqual([])
  })

  test('A domain is granted as soon as its holder is deleted or requests another domain', () => {
    const edge = anIngressController().on('AWS').spec({ domain: 'shared.example.com' })
    edge.others = [claimant('shared.example.com')]
    edge.settle()
    edge.others = []
    expect(refusal(edge).status).toBe('True')
  })

  test('A domain that several controllers request goes to the one that was admitted with it, else to the oldest', () => {
    const edge = anIngressController().on('AWS').spec({ domain: 'shared.example.com' })
    edge.others = [claimant('shared.example.com', { since: '2031-01-01T00:00:00Z', holds: false })]
    expect(refusal(edge).status).toBe('True')
    edge.others = [claimant('shared.example.com', { since: '2028-01-01T00:00:00Z', holds: false })]
    expect(refusal(edge).status).toBe('True') // It holds it by now.
    const other = anIngressController().on('AWS').spec({ domain: 'shared.example.com' })
    other.others = [claimant('shared.example.com', { since: '2028-01-01T00:00:00Z', holds: false })]
    expect(refusal(other).status).toBe('False')
  })

  test('A domain is not given away while another controller still serves it, even if that one requests a third domain', () => {
    const edge = anIngressController().on('AWS').spec({ domain: 'shared.example.com' })
    const serving = claimant('shared.example.com')
    edge.others = [{ ...serving, spec: { domain: 'third.example.com' } }]
    expect(refusal(edge)).toMatchObject({
      status: 'False',
      message: expect.stringContaining('already used by the IngressController "rival"'),
    })
    edge.others = [{ ...claimant('third.example.com') }]
    expect(refusal(edge).status).toBe('True')
  })

  test('A domain whose holder requests ours in return is reported as granted automatically', () => {
    const edge = anIngressController().on('AWS').published().spec({ domain: 'shared.example.com' })
    edge.others = [{ ...claimant('shared.example.com'), spec: { domain: 'apps.example.com' } }]
    expect(refusal(edge)).toMatchObject({
      reason: 'DomainHeld',
      message: expect.stringContaining("request each other's domains, and get them automatically"),
    })
  })

  test('A domain of a controller that was refused once does not shift its defaults (OCPBUGS-63219)', () => {
    const edge = anIngressController().on('AWS').scoped('Internal').published()
    const before = edge.service
    edge.spec({ domain: 'shared.example.com' })
    edge.others = [claimant('shared.example.com')]
    edge.settle()
    edge.spec({ domain: null }).settle()
    expect(edge.service).toBe(before)
    expect(edge.condition('Admitted').status).toBe('True')
  })
})

describe('a strategy', () => {
  test('A strategy that depends on an unknown platform is refused, with why the platform is unknown', () => {
    const edge = anIngressController()
    expect(refusal(edge).message).toContain('The platform of the cluster cannot be determined: nobody said.')
    edge.scoped('External')
    expect(refusal(edge).message).toMatch(/LoadBalancerService depends on the platform\. The platform/)
    expect(edge.decide().actions).toEqual([])
  })

  test('A strategy that does not depend on the platform is published although the platform is unknown', () => {
    const edge = anIngressController().spec({ endpointPublishingStrategy: { type: 'Private' } })
    expect(refusal(edge).status).toBe('True')
  })

  test.each(['BareMetal', 'None', 'VSphere'])('Internal is refused on %s, in words', (platform) => {
    const edge = anIngressController().on(platform).scoped('Internal')
    expect(refusal(edge).message).toContain(
      `internal load balancers are not supported on the platform ${platform}`,
    )
    expect(edge.decide().actions).toEqual([])
    edge.scoped('External')
    expect(refusal(edge).status).toBe('True')
  })
})

test('A refused controller stays as it was, and nothing new is created for it', () => {
  const edge = anIngressController().on('BareMetal').scoped('External').published()
  const [service, deployment] = [edge.service, edge.deployment]
  edge.spec({ replicas: 5 }).scoped('Internal').settle()
  expect(edge.condition('Admitted').status).toBe('False')
  expect([edge.service, edge.deployment]).toEqual([service, deployment])
  expect(edge.condition('Available').status).toBe('True')
  expect(edge.condition('Degraded').status).toBe('True')
})
