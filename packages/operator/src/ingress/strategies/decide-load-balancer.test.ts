import { Service } from '@portcullis/kube'
import { describe, expect, test } from 'vitest'
import { anIngressController } from '../../testing/a-snapshot.ts'
import { autoDeleteAnnotation } from '../names.ts'

const awsInternal = 'service.beta.kubernetes.io/aws-load-balancer-internal'
const awsType = 'service.beta.kubernetes.io/aws-load-balancer-type'

const ibmType = 'service.kubernetes.io/ibm-load-balancer-cloud-provider-ip-type'
const openstackInternal = 'service.beta.kubernetes.io/openstack-internal-load-balancer'

const agreed = { [autoDeleteAnnotation]: '' }

test('A new load balancer is created with an event, and annotated with its default type', () => {
  const [creation] = anIngressController()
    .on('AWS')
    .scoped('External')
    .decide()
    .actions.filter(({ object, kind }) => object.metadata.name === 'router-edge' && kind === Service)
  expect(creation).toMatchObject({
    event: { reason: 'ServiceCreated', action: 'CreateService' },
    object: {
      metadata: {
        annotations: { 'portcullis.dev/load-balancer-made-as': '{"scope":"External","type":"Classic"}' },
      },
    },
  })
})

describe('a change that needs a new load balancer', () => {
  test.each([
    ['AWS', awsInternal, undefined, 'true'],
    ['IBMCloud', ibmType, 'public', 'private'],
    ['PowerVS', ibmType, 'public', 'private'], // OCPBUGS-39151: the list is of those that change in place
    ['OpenStack', openstackInternal, undefined, 'true'],
  ])(
    'A change that needs a new load balancer modifies nothing on %s, waits for the user, and is applied to a new Service',
    (platform, key, external, internal) => {
      const edge = anIngressController().on(platform).scoped('External').published()
      const before = edge.service
      expect(before.metadata.annotations?.[key]).toBe(external)

      edge.scoped('Internal')
      expect(edge.decide().actions).toEqual([])
      edge.settle()
      expect(edge.service).toBe(before)
      expect(edge.condition('Progressing')).toMatchObject({ status: 'True', reason: 'ScopeChanged' })
      expect(edge.condition('Available').status).toBe('True')
      expect(edge.controller.status.endpointPublishingStrategy.loadBalancer.scope).toBe('Internal')

      edge.remove('Service').cloudRemoves().settle()
      expect(edge.annotations[key]).toBe(internal)
      expect(edge.condition('Progressing')).toMatchObject({ status: 'False' })
    },
  )

  test('A change that needs a new load balancer leaves everything as it was when the user reverts it', () => {
    const edge = anIngressController().on('AWS').scoped('External').published()
    const before = edge.service
    edge.scoped('Internal').settle()
    edge.scoped('External').settle()
    expect(edge.condition('Progressing').status).toBe('False')
    expect(edge.service).toBe(before)
  })

  test('A change that needs a new load balancer can be one of the type on AWS, which never happens in place (OCPBUGS-16728)', () => {
    const edge = anIngressController().on('AWS').scoped('External').published()
    const before = edge.service
    edge.asking({ providerParameters: { type: 'AWS', aws: { type: 'NLB' } } }).settle()
    expect(edge.service).toBe(before)
    expect(edge.condition('Progressing').reason).toBe('LoadBalancerTypeChanged')

    edge.remove('Service').cloudRemoves().settle()
    expect(edge.annotations).toMatchObject({
      [awsType]: 'nlb',
      // BZ1908758: no other interval suits a network load balancer.
      'service.beta.kubernetes.io/aws-load-balancer-healthcheck-interval': '10',
    })
    // OCPBUGS-38217: nothing of the type before lingers.
    expect(edge.annotations).not.toHaveProperty([
      'service.beta.kubernetes.io/aws-load-balancer-proxy-protocol',
    ])
  })

  test('A change of scope and type at once has one message with one revert command', () => {
    const edge = anIngressController().on('AWS').scoped('External').published()
    edge.asking({ scope: 'Internal', providerParameters: { type: 'AWS', aws: { type: 'NLB' } } }).settle()
    const { reason, message } = edge.condition('Progressing')
    expect(reason).toBe('ScopeChanged')
    expect(message).toContain('scope was changed from "External" to "Internal"')
    expect(message).toContain('load balancer was changed from "Classic" to "NLB"')
    expect(message).toContain(
      '"loadBalancer":{"scope":"External","providerParameters":{"type":"AWS","aws":{"type":"Classic"}}}',
    )
  })

  test('A change that needs a new load balancer keeps a type that the spec does not set', () => {
    const edge = anIngressController()
      .on('AWS')
      .asking({ scope: 'External', providerParameters: { type: 'AWS', aws: { type: 'NLB' } } })
      .published('a1-2.elb.us-east-1.amazonaws.com')
    edge.asking({ providerParameters: null })
    expect(edge.decide().actions).toEqual([])
    edge.settle()
    expect(edge.condition('Progressing').status).toBe('False')
  })
})

describe('auto-delete', () => {
  const pending = () =>
    anIngressController().on('AWS').scoped('External').published().annotated(agreed).scoped('Internal')

  test('Auto-delete deletes the Service after a change of the spec, with the annotation as the consent', () => {
    const edge = pending()
    const [deletion, ...more] = edge.decide().actions
    expect(more).toEqual([])
    expect(deletion).toMatchObject({ do: 'delete', object: edge.service, disruption: 'interrupts' })
    expect(deletion?.event).toMatchObject({ reason: 'ServiceDeleted', action: 'DeleteService' })
    expect(deletion?.event?.note).toMatch(
      /change the scope of its load balancer from External to Internal, because the IngressController has the annotation ingress\.operator\.openshift\.io\/auto-delete-load-balancer/,
    )
  })

  test('Auto-delete waits for the cloud to remove the old load balancer, and reports that (OCPBUGS-2334)', () => {
    const edge = pending()
    edge.settle()
    expect(edge.service.metadata.deletionTimestamp).toBeDefined()
    expect(edge.decide().actions).toEqual([]) // The peer: 42 deletes and 42 failed creates in 5 seconds.
    expect(edge.condition('LoadBalancerReady')).toMatchObject({
      status: 'False',
      reason: 'ServiceBeingDeleted',
    })
    expect(edge.condition('Progressing')).toMatchObject({ status: 'True', reason: 'ReplacingLoadBalancer' })
    expect(edge.condition('Progressing').message).not.toContain('you must delete')
    expect(edge.condition('Progressing').message).toContain('waiting for the cloud')

    // OCPBUGS-63219: what is wanted does not come from the Service that goes away.
    edge.cloudRemoves().settle()
    expect(edge.annotations[awsInternal]).toBe('true')
    edge.cloudProvides('internal-a1-2.us-east-1.elb.amazonaws.com').settle()
    expect(edge.condition('Progressing').status).toBe('False')
    expect(edge.condition('Available').status).toBe('True')
  })

  test('Auto-delete deletes the Service if the spec sets another type, and not if it sets none', () => {
    const ofType = (type: string) => ({ providerParameters: { type: 'AWS', aws: { type } } })
    const edge = anIngressController()
      .on('AWS')
      .asking({ scope: 'External', ...ofType('Classic') })
    edge.published().annotated(agreed)
    expect(edge.decide().actions).toEqual([])
    expect(edge.asking(ofType('NLB')).decide().actions).toMatchObject([{ do: 'delete' }])
    // The load balancer is another than the spec has it, but the spec has not changed.
    edge.asking(ofType('Classic')).cloudProvides('a1-2.elb.us-east-1.amazonaws.com')
    expect(edge.decide().actions.filter((action) => action.do === 'delete')).toEqual([])
  })

  test('Auto-delete deletes the Service if the annotation is set after the change', () => {
    const edge = anIngressController().on('AWS').scoped('External').published()
    edge.scoped('Internal').settle()
    edge.annotated(agreed)
    expect(edge.decide().actions).toMatchObject([{ do: 'delete' }])
  })

  test('Auto-delete deletes nothing while the load balancer matches the spec', () => {
    const edge = anIngressController().on('AWS').scoped('External').annotated(agreed).published()
    expect(edge.decide().actions).toEqual([])
  })

  test.each([{ [awsInternal]: 'true' }, { [awsInternal]: '0.0.0.0/0' }, { [awsType]: 'nlb' }])(
    'Auto-delete never deletes for an edit of the Service by hand: %o',
    (annotations) => {
      const edge = anIngressController().on('AWS').scoped('External').annotated(agreed).published()
      edge.edit('Service', { metadata: { annotations } })
      expect(edge.decide().actions).toEqual([])
      edge.settle()
      expect(edge.condition('Progressing')).toMatchObject({ status: 'True', reason: 'ServiceEdited' })
      expect(edge.annotations).toMatchObject(annotations)
    },
  )

  test('Auto-delete is not used on a cloud that changes the scope in place', () => {
    const edge = anIngressController().on('GCP').scoped('External').annotated(agreed).published()
    expect(edge.scoped('Internal').decide().actions).toMatchObject([{ do: 'update' }])
  })
})

describe('a manual edit of the Service', () => {
  test('A manual edit of the Service is reported as an edit, not as a change of the IngressController', () => {
    const edge = anIngressController().on('IBMCloud').scoped('External').published()
    edge.edit('Service', { metadata: { annotations: { [ibmType]: 'private' } } }).settle()
    const { reason, message } = edge.condition('Progressing')
    expect(reason).toBe('ServiceEdited')
    expect(message).not.toContain('IngressController scope was changed')
    expect(message).toContain(
      `\`kubectl -n openshift-ingress annotate svc/router-edge ${ibmType}=public --overwrite\``,
    )
    expect(message).toContain(
      `\`kubectl -n openshift-ingress-operator patch ingresscontrollers/edge --type=merge --patch='{"spec":{"endpointPublishingStrategy":{"type":"LoadBalancerService","loadBalancer":{"scope":"Internal"}}}}'\``,
    )
  })

  test('A manual edit of the Service that requests what the spec later requests does not change the provenance of the load balancer', () => {
    const edge = anIngressController().on('AWS').scoped('External').published()
    edge.edit('Service', { metadata: { annotations: { [awsInternal]: 'true' } } })
    edge.scoped('Internal').settle()
    const { reason, message } = edge.condition('Progressing')
    expect(reason).toBe('ScopeChanged')
    expect(message).toContain('already request "Internal", but the load balancer is still "External"')
  })

  test('A manual edit of the Service is preserved: ports, policies, labels, annotations, finalizers (BZ1906267)', () => {
    const edge = anIngressController().on('AWS').scoped('External').published()
    edge.edit('Service', {
      metadata: {
        labels: { team: 'web' },
        annotations: {
          'example.com/mine': 'yes',
          'service.beta.kubernetes.io/aws-load-balancer-healthcheck-interval': '30',
        },
        finalizers: ['example.com/mine', 'service.kubernetes.io/load-balancer-cleanup'],
      },
      spec: {
        externalTrafficPolicy: 'Cluster',
        loadBalancerSourceRanges: ['198.51.100.0/24'],
        ports: [{ name: 'http', port: 8088, protocol: 'TCP', nodePort: 30111, targetPort: 'http' }],
      },
    })
    const edited = edge.service
    edge.settle()
    expect(edge.service).toBe(edited)
    expect(edge.condition('Upgradeable').status).toBe('True') // BZ1905490, BZ2097555
  })
})

describe('a Service that this operator did not create', () => {
  const adopted = (annotations: Record<string, string> = {}) => {
    const edge = anIngressController().on('AWS').scoped('External').published()
    const { annotations: before = {} } = edge.service.metadata
    const none = Object.fromEntries(Object.keys(before).map((key) => [key, null]))
    return edge.edit('Service', { metadata: { annotations: { ...none, ...annotations } } })
  }

  test('A Service that this operator did not create is adopted unchanged and gets a provenance annotation', () => {
    const edge = adopted()
    const toTheService = edge.decide().actions.filter(({ kind }) => kind.kind === 'Service')
    expect(toTheService).toMatchObject([
      {
        do: 'update',
        patch: {
          metadata: {
            annotations: { 'portcullis.dev/load-balancer-made-as': '{"scope":"External","type":"Classic"}' },
          },
        },
      },
    ])
    edge.settle()
    expect(edge.condition('LoadBalancerProgressing').status).toBe('False')
  })

  test('A Service that this operator did not create is internal if its annotation is 0.0.0.0/0, as versions before 4.8 wrote it (BZ2055470)', () => {
    const edge = anIngressController().on('AWS').scoped('Internal').published('10.0.0.9')
    edge.edit('Service', { metadata: { annotations: { [awsInternal]: '0.0.0.0/0' } } })
    expect(edge.decide().actions).toEqual([])
    edge.settle()
    expect(edge.condition('Progressing').status).toBe('False')
  })

  test('A Service that this operator did not create is not deleted for a change from the time when no operator ran, which is reported instead', () => {
    const edge = adopted({ [awsInternal]: 'true' })
    edge.cloudProvides('internal-a1-2.us-east-1.elb.amazonaws.com').settle()
    expect(edge.condition('Progressing')).toMatchObject({ status: 'True', reason: 'ScopeChanged' })
    expect(edge.service.metadata.deletionTimestamp).toBeUndefined()
  })

  describe.each(['IBMCloud', 'OpenStack'])(
    'with auto-delete on %s, where the address does not show the scope,',
    (platform) => {
      const annotation = platform === 'IBMCloud' ? { [ibmType]: 'private' } : { [openstackInternal]: 'true' }
      const edited = (note: string | null) => {
        const edge = anIngressController().on(platform).scoped('External').annotated(agreed).published()
        const annotations = { ...annotation, 'portcullis.dev/load-balancer-made-as': note }
        return edge.edit('Service', { metadata: { annotations } })
      }

      test.each([null, '{"scope":"Internal"}', 'garbage'])(
        'A Service that this operator did not create is not deleted after a manual edit, even of its provenance annotation to %s',
        (note) => {
          const edge = edited(note)
          edge.settle()
          expect(edge.service.metadata.deletionTimestamp).toBeUndefined()
          expect(edge.condition('Progressing').reason).toBe('ScopeChanged')
        },
      )

      test('A Service that this operator did not create is deleted after a later change of the spec', () => {
        const edge = edited(null)
        edge.settle()
        edge.scoped('Internal').settle()
        expect(edge.service.metadata.deletionTimestamp).toBeUndefined()
        expect(edge.condition('Progressing').status).toBe('False')

        const other = anIngressController().on(platform).scoped('External').annotated(agreed).published()
        other.edit('Service', { metadata: { annotations: { 'portcullis.dev/load-balancer-made-as': null } } })
        other.settle()
        other.scoped('Internal').settle()
        expect(other.service.metadata.deletionTimestamp).toBeDefined()
      })
    },
  )
})

describe('the address of a load balancer on AWS', () => {
  test('The address of a load balancer on AWS takes precedence over the annotations if it is an internal host name', () => {
    const edge = anIngressController().on('AWS').scoped('External').published()
    edge.cloudProvides('internal-a1-2.us-east-1.elb.amazonaws.com').settle()
    expect(edge.condition('Progressing')).toMatchObject({ status: 'True', reason: 'ScopeChanged' })
    expect(edge.condition('Progressing').message).toContain('but the load balancer is still "Internal"')
  })

  test('The address of a load balancer on AWS does not cause a deletion with auto-delete, because the spec was not changed', () => {
    const edge = anIngressController().on('AWS').scoped('External').annotated(agreed).published()
    edge.cloudProvides('internal-a1-2.us-east-1.elb.amazonaws.com')
    expect(edge.decide().actions).toEqual([])
  })
})

describe('a Service with the name of the load balancer that the operator does not manage', () => {
  test('A Service with the name of the load balancer that the operator does not manage is left alone and reported with the command that hands it over (BZ2054200)', () => {
    const edge = anIngressController().on('AWS').scoped('External')
    edge.server.create('somebody', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { namespace: 'openshift-ingress', name: 'router-edge' },
      spec: { type: 'ClusterIP', ports: [] },
    })
    const theirs = edge.service
    edge.settle()
    expect(edge.service).toBe(theirs)
    expect(edge.condition('LoadBalancerReady')).toMatchObject({ status: 'False', reason: 'ServiceNotOurs' })
    expect(edge.condition('LoadBalancerReady').message).toContain(
      '`kubectl -n openshift-ingress label svc/router-edge ingresscontroller.operator.openshift.io/owning-ingresscontroller=edge`',
    )
    expect(edge.condition('Available').status).toBe('False')
    edge.remove('IngressController').settle()
    expect(edge.service).toBe(theirs)
  })
})

test('Routers expect PROXY protocol headers only while the load balancer sends them', () => {
  const edge = anIngressController().on('AWS').scoped('External').published()
  const expectsHeader = () =>
    edge.deployment.spec?.template.spec?.containers[0]?.env?.some(
      ({ name }: { name: string }) => name === 'ROUTER_USE_PROXY_PROTOCOL',
    )
  expect(expectsHeader()).toBe(true)
  const annotations = { 'service.beta.kubernetes.io/aws-load-balancer-proxy-protocol': null }
  edge.edit('Service', { metadata: { annotations } }).settle()
  expect(expectsHeader()).toBe(false)
})
