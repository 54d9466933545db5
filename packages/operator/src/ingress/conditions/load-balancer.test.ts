import { findCondition } from '@portcullis/kube'
import { describe, expect, test } from 'vitest'
import { anIngressController } from '../../testing/a-snapshot.ts'
import type { Scene } from '../../testing/scene.ts'
import { autoDeleteAnnotation } from '../names.ts'
import { aws } from '../platforms/aws.ts'
import type { Platform } from '../platforms/platform.ts'
import { loadBalancerProgressing, waitsForUser } from './load-balancer.ts'

describe('LoadBalancerManaged', () => {
  test('LoadBalancerManaged follows the endpoint publishing strategy', () => {
    const edge = anIngressController().on('AWS').published()
    expect(edge.condition('LoadBalancerManaged')).toMatchObject({
      status: 'True',
      reason: 'WantedByEndpointPublishingStrategy',
    })
    const hidden = anIngressController()
      .on('AWS')
      .spec({ endpointPublishingStrategy: { type: 'Private' } })
    hidden.settle()
    expect(hidden.condition('LoadBalancerManaged')).toMatchObject({
      status: 'False',
      reason: 'EndpointPublishingStrategyExcludesManagedLoadBalancer',
    })
    expect(() => hidden.condition('LoadBalancerReady')).toThrow()
  })
})

describe('LoadBalancerProgressing', () => {
  test('LoadBalancerProgressing is False if the load balancer matches the spec', () => {
    const edge = anIngressController().on('AWS').published()
    expect(edge.condition('LoadBalancerProgressing')).toMatchObject({
      status: 'False',
      reason: 'LoadBalancerNotProgressing',
    })
  })

  test('LoadBalancerProgressing is True while the Service is being created', () => {
    expect(anIngressController().on('AWS').decide().status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'LoadBalancerProgressing',
        status: 'True',
        reason: 'ServiceNotFound',
      }),
    )
  })

  test('LoadBalancerProgressing is False without a Service if the platform is unknown', () => {
    const snapshot = anIngressController().snapshot()
    expect(loadBalancerProgressing({ state: 'missing' }, snapshot, undefined)).toMatchObject({
      type: 'LoadBalancerProgressing',
      status: 'False',
      reason: 'LoadBalancerNotProgressing',
    })
  })

  test.each(['kubectl', 'oc'] as const)(
    'LoadBalancerProgressing contains both commands for %s',
    (commandLine) => {
      const edge = anIngressController('custom').on('AWS').scoped('External')
      edge.settings = { ...edge.settings, commandLine }
      edge.published().scoped('Internal').settle()
      const { message } = edge.condition('Progressing')
      expect(message).toMatch(/^The IngressController scope was changed from "External" to "Internal"\. {2}/)
      expect(message).toContain(
        `To effectuate this change, you must delete the service: \`${commandLine} -n openshift-ingress delete svc/router-custom\`; the service load-balancer will then be deprovisioned and a new one created.`,
      )
      expect(message).toContain('This is disruptive: ingress traffic is interrupted')
      expect(message).toContain('address will most likely change')
      expect(message).toContain(
        `Alternatively, you can revert the change to the IngressController: \`${commandLine} -n openshift-ingress-operator patch ingresscontrollers/custom --type=merge --patch='{"spec":{"endpointPublishingStrategy":{"type":"LoadBalancerService","loadBalancer":{"scope":"External"}}}}'\``,
      )
      expect(edge.events.map(({ reason }) => reason)).toContain('WaitingForUser')
    },
  )

  test('LoadBalancerProgressing uses the configured namespaces in its commands', () => {
    const edge = anIngressController().on('OpenStack').scoped('External')
    edge.settings = { ...edge.settings, operandNamespace: 'routers', operatorNamespace: 'control' }
    edge.published().scoped('Internal').settle()
    const { message } = edge.condition('Progressing')
    expect(message).toContain('`kubectl -n routers delete svc/router-edge`')
    expect(message).toContain('`kubectl -n control patch ingresscontrollers/edge')
  })

  test('LoadBalancerProgressing describes a change of the load balancer type, with the command that reverts it', () => {
    const edge = anIngressController().on('AWS').scoped('External').published()
    edge.asking({ providerParameters: { type: 'AWS', aws: { type: 'NLB' } } }).settle()
    const { reason, message } = edge.condition('LoadBalancerProgressing')
    expect(reason).toBe('LoadBalancerTypeChanged')
    expect(message).toContain(`load balancer was changed from "Classic" to "NLB"`)
    expect(message).toContain('`kubectl -n openshift-ingress delete svc/router-edge`')
    expect(message).toContain(
      `--patch='{"spec":{"endpointPublishingStrategy":{"type":"LoadBalancerService","loadBalancer":{"providerParameters":{"type":"AWS","aws":{"type":"Classic"}}}}}}'`,
    )
  })

  test.each(['scope', 'strategy'])(
    'LoadBalancerProgressing mentions an auto-delete annotation with the value false if a change of %s waits',
    (what) => {
      const edge = anIngressController().on('AWS').scoped('External').published()
      edge.annotated({ [autoDeleteAnnotation]: 'False' })
      if (what === 'scope') edge.scoped('Internal').settle()
      else edge.spec({ endpointPublishingStrategy: { type: 'Private', loadBalancer: null } }).settle()
      expect(edge.service.metadata.deletionTimestamp).toBeUndefined()
      expect(edge.condition('LoadBalancerProgressing').message).toContain(
        `The annotation ${autoDeleteAnnotation} is "false", so the operator does not delete the service itself.`,
      )
    },
  )

  test('LoadBalancerProgressing reports that the operator waits for the deletion of a Service', () => {
    const edge = anIngressController().on('AWS').scoped('External').published()
    edge
      .annotated({ [autoDeleteAnnotation]: '' })
      .scoped('Internal')
      .settle()
    expect(edge.condition('LoadBalancerProgressing')).toMatchObject({
      status: 'True',
      reason: 'ReplacingLoadBalancer',
    })
    expect(edge.condition('LoadBalancerProgressing').message).toContain(
      'openshift-ingress/router-edge is being deleted',
    )
  })

  test('LoadBalancerProgressing contains one command that reverts an edit of the type annotation', () => {
    const edge = anIngressController().on('AWS').scoped('External').published()
    const key = 'service.beta.kubernetes.io/aws-load-balancer-type'
    edge.edit('Service', { metadata: { annotations: { [key]: 'nlb' } } }).settle()
    const { reason, message } = edge.condition('LoadBalancerProgressing')
    expect(reason).toBe('ServiceEdited')
    expect(message).toContain(`\`kubectl -n openshift-ingress annotate svc/router-edge ${key}-\``)
    expect(edge.condition('Upgradeable')).toMatchObject({ status: 'False', reason: 'OperandsNotUpgradeable' })
  })

  test('LoadBalancerProgressing contains one command that restores a removed type annotation', () => {
    const edge = anIngressController()
      .on('AWS')
      .asking({ scope: 'External', providerParameters: { type: 'AWS', aws: { type: 'NLB' } } })
      .published('a1-2.elb.us-east-1.amazonaws.com')
    const key = 'service.beta.kubernetes.io/aws-load-balancer-type'
    edge.edit('Service', { metadata: { annotations: { [key]: null } } }).settle()
    expect(edge.condition('LoadBalancerProgressing').message).toContain(
      `\`kubectl -n openshift-ingress annotate svc/router-edge ${key}=nlb --overwrite\``,
    )
  })
})

describe('the orphaned load balancer after a change of strategy', () => {
  const turned = (platform: string): Scene =>
    anIngressController()
      .on(platform)
      .scoped('Internal')
      .published()
      .spec({ endpointPublishingStrategy: { type: 'Private', loadBalancer: null } })

  test('The orphaned load balancer after a change of strategy waits for the user, or is removed with consent', () => {
    const edge = turned('AWS')
    edge.settle()
    expect(edge.condition('LoadBalancerProgressing').reason).toBe('TypeChanged')
    edge.annotated({ [autoDeleteAnnotation]: '' })
    const { conditions } = edge.decide().status ?? {}
    expect(findCondition(conditions, 'LoadBalancerProgressing')?.reason).toBe('RemovingLoadBalancer')
  })

  test.each([
    ['AWS', true],
    ['GCP', false],
  ])(
    'The orphaned load balancer after a change of strategy is reported to send PROXY protocol headers on %s: %s',
    (platform, sendsHeader) => {
      const edge = turned(platform)
      edge.settle()
      expect(edge.condition('LoadBalancerProgressing').message.includes('PROXY protocol header')).toBe(
        sendsHeader,
      )
    },
  )

  test.each([
    [{}, '"private":null,"loadBalancer":{"scope":"Internal"}}'],
    [{ loadBalancerSourceRanges: [] }, '"private":null,"loadBalancer":{"scope":"Internal"}}'],
    [
      { loadBalancerSourceRanges: ['10.0.0.0/8'] },
      '"private":null,"loadBalancer":{"scope":"Internal","allowedSourceRanges":["10.0.0.0/8"]}}',
    ],
  ])(
    'The orphaned load balancer after a change of strategy is restored unchanged by the revert command: %o',
    (spec, patch) => {
      expect(wayBack(spec, aws)).toContain(patch)
    },
  )

  test('The orphaned load balancer after a change of strategy is restored according to its provenance annotation if the platform is unknown', () => {
    expect(wayBack({ loadBalancerSourceRanges: ['10.0.0.0/8'] }, undefined)).toContain(
      '"private":null,"loadBalancer":{"scope":"Internal","allowedSourceRanges":["10.0.0.0/8"]}}',
    )
  })

  test('The orphaned load balancer after a change of strategy is restored without a scope if neither the platform nor an annotation gives it', () => {
    expect(wayBack({}, undefined, {})).toContain('{"type":"LoadBalancerService","private":null}')
  })

  test('The orphaned load balancer after a change of strategy has no revert command that would drop its source ranges', () => {
    const text = wayBack({ loadBalancerSourceRanges: ['10.0.0.0/8'] }, undefined, {})
    expect(text).not.toContain('revert')
    expect(text).toContain('you must delete the service')
  })

  function wayBack(
    spec: object,
    platform: Platform | undefined,
    annotations: object = turned('AWS').service.metadata.annotations ?? {},
  ): string {
    const edge = turned('AWS')
    const service = { ...edge.service, spec, metadata: { ...edge.service.metadata, annotations } } as never
    const state = { state: 'orphaned', type: 'Private', service } as const
    return loadBalancerProgressing(state, edge.snapshot(), platform).message
  }
})

test.each([
  ['ScopeChanged', true],
  ['LoadBalancerTypeChanged', true],
  ['TypeChanged', true],
  ['ScopeChanging', false],
  ['ServiceEdited', false],
  ['', false],
])('A change with the reason "%s" waits for the user: %s', (reason, isWaiting) => {
  expect(waitsForUser({ reason })).toBe(isWaiting)
})

test('A condition without a reason, or a missing one, does not wait for the user', () => {
  expect(waitsForUser({})).toBe(false)
  expect(waitsForUser(undefined)).toBe(false)
})
