import { type CustomResourceDefinition, customResourceDefinition } from './crd/definition.ts'
import { infrastructure } from './infrastructure.ts'
import { ingressController } from './ingress-controller.ts'

const condition = (type: string, field: 'status' | 'message') =>
  `.status.conditions[?(@.type=="${type}")].${field}`

const hostPort = (field: string) => `.status.endpointPublishingStrategy.hostNetwork.${field}`

/** The kinds that Portcullis brings to a cluster that does not have them. */
export const crds: readonly CustomResourceDefinition[] = [
  customResourceDefinition({
    group: 'operator.openshift.io',
    version: 'v1',
    scope: 'Namespaced',
    names: { kind: 'IngressController', plural: 'ingresscontrollers', singular: 'ingresscontroller' },
    schema: ingressController,
    scale: {
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.availableReplicas',
      labelSelectorPath: '.status.selector',
    },
    columns: [
      { name: 'Strategy', type: 'string', jsonPath: '.status.endpointPublishingStrategy.type' },
      { name: 'Scope', type: 'string', jsonPath: '.status.endpointPublishingStrategy.loadBalancer.scope' },
      { name: 'HTTP', type: 'integer', jsonPath: hostPort('httpPort') },
      { name: 'HTTPS', type: 'integer', jsonPath: hostPort('httpsPort') },
      { name: 'Stats', type: 'integer', jsonPath: hostPort('statsPort') },
      { name: 'Address', type: 'string', jsonPath: condition('Published', 'message') },
      { name: 'Available', type: 'string', jsonPath: condition('Available', 'status') },
      { name: 'Progressing', type: 'string', jsonPath: condition('Progressing', 'status') },
      { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ],
  }),
  customResourceDefinition({
    group: 'config.openshift.io',
    version: 'v1',
    scope: 'Cluster',
    names: { kind: 'Infrastructure', plural: 'infrastructures', singular: 'infrastructure' },
    schema: infrastructure,
  }),
]
