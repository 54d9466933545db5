import { ingressControllerName } from '../addresses/ingress-class.ts'
import { autoDeleteAnnotation, finalizer, routerLabel, routerName } from '../ingress/names.ts'
import { same, text } from './cel.ts'
import { labelsOf, type Manifest, type ManifestOptions } from './options.ts'
import { podRules, podVariables } from './router-pod-rules.ts'

type PolicyOptions = Pick<
  ManifestOptions,
  | 'name'
  | 'operatorNamespace'
  | 'operandNamespace'
  | 'routerImage'
  | 'routerCpuRequest'
  | 'routerMemoryRequest'
  | 'maxReplicas'
  | 'hostNetwork'
>

interface Rule {
  readonly apiGroup: string
  readonly resources: readonly string[]
  readonly operations: readonly ('CREATE' | 'UPDATE' | 'DELETE')[]
}

interface Policy {
  /** After the name of the installation. */
  readonly name: string
  readonly rule: Rule
  readonly variables?: Readonly<Record<string, string>>
  /** Each a CEL expression, by what is said where it does not hold. */
  readonly validations: Readonly<Record<string, string>>
}

const apiVersion = 'admissionregistration.k8s.io/v1'

/**
 * What the API server refuses the operator, whoever speaks for it. Rights name kinds and namespaces; with these alone an
 * operator in the wrong hands could run anything on any node. What a person has added to an object is theirs and stays: only
 * what the operator itself would add is judged.
 */
export function admissionPolicy(options: PolicyOptions): Manifest[] {
  return policies(options).flatMap((policy) => [policyOf(policy, options), bindingOf(policy, options)])
}

function policies(options: PolicyOptions): Policy[] {
  return [
    {
      name: 'deployments',
      rule: { apiGroup: 'apps', resources: ['deployments'], operations: ['CREATE', 'UPDATE'] },
      variables: {
        ...podVariables(options.hostNetwork),
        mostReplicas: String(options.maxReplicas),
        mostRequested: JSON.stringify({ cpu: options.routerCpuRequest, memory: options.routerMemoryRequest }),
      },
      validations: {
        [onlyRouters]: isNamedAsARouter,
        // An autoscaler, another manager, may have scaled further: its replicas are sent along.
        'spec.replicas does not exceed maxReplicas': `object.spec.?replicas.orValue(1) <= variables.mostReplicas || (oldObject != null && object.spec.?replicas.orValue(1) <= oldObject.spec.?replicas.orValue(1))`,
        ...podRules(options.routerImage),
      },
    },
    {
      name: 'deployment-deletions',
      rule: { apiGroup: 'apps', resources: ['deployments'], operations: ['DELETE'] },
      validations: { [onlyRouters]: isNamedAsARouter },
    },
    {
      name: 'services',
      rule: { apiGroup: '', resources: ['services'], operations: ['CREATE', 'UPDATE', 'DELETE'] },
      validations: {
        [onlyRouters]: isNamedAsARouter,
        'its Services select routers': `object == null || ${text(routerLabel)} in object.spec.?selector.orValue({}) || (oldObject != null && ${same('object.spec', 'oldObject.spec', 'selector')})`,
        'its Services use neither externalIPs nor the type ExternalName': `object == null || ((!has(object.spec.externalIPs) || (oldObject != null && ${same('object.spec', 'oldObject.spec', 'externalIPs')})) && object.spec.?type.orValue("ClusterIP") != "ExternalName")`,
      },
    },
    {
      name: 'disruption-budgets',
      rule: {
        apiGroup: 'policy',
        resources: ['poddisruptionbudgets'],
        operations: ['CREATE', 'UPDATE', 'DELETE'],
      },
      validations: {
        [onlyRouters]: isNamedAsARouter,
        'its PodDisruptionBudgets select routers': `object == null || ${text(routerLabel)} in object.spec.?selector.?matchLabels.orValue({}) || (oldObject != null && ${same('object.spec', 'oldObject.spec', 'selector')})`,
      },
    },
    {
      name: 'ingress-classes',
      rule: {
        apiGroup: 'networking.k8s.io',
        resources: ['ingressclasses'],
        operations: ['CREATE', 'UPDATE', 'DELETE'],
      },
      validations: {
        'its IngressClasses refer to its own IngressControllers': `[object, oldObject].all(o, o == null || (o.spec.?controller.orValue("") == ${text(ingressControllerName)} && o.spec.?parameters.?namespace.orValue("") == ${text(options.operatorNamespace)}))`,
      },
    },
    {
      name: 'ingress-controllers',
      rule: {
        apiGroup: 'operator.openshift.io',
        resources: ['ingresscontrollers'],
        operations: ['CREATE', 'UPDATE', 'DELETE'],
      },
      validations: {
        'it changes neither the spec nor the auto-delete annotation of an IngressController': `request.operation == "UPDATE" && ${same('object', 'oldObject', 'spec')} && ${consentOf('object')} == ${consentOf('oldObject')}`,
        // With an owner that is not there, the garbage collector would delete it; without the finalizers of others, their cleanup would not run.
        'it changes neither owner references nor the finalizers of others': `object == null || oldObject == null || (${same('object.metadata', 'oldObject.metadata', 'ownerReferences')} && ${finalizersOfOthers('object')} == ${finalizersOfOthers('oldObject')})`,
      },
    },
    {
      // The API server lets a client that writes the status of an Ingress change its metadata as well.
      name: 'ingress-statuses',
      rule: { apiGroup: 'networking.k8s.io', resources: ['ingresses/status'], operations: ['UPDATE'] },
      validations: {
        'it writes only the status of an Ingress': ['labels', 'annotations', 'finalizers', 'ownerReferences']
          .map((field) => same('object.metadata', 'oldObject.metadata', field))
          .join(' && '),
      },
    },
    {
      name: 'events',
      rule: { apiGroup: 'events.k8s.io', resources: ['events'], operations: ['CREATE', 'UPDATE', 'DELETE'] },
      validations: {
        'it writes only Events that it reports itself': `[object, oldObject].all(o, o == null || o.?reportingController.orValue("") == ${text(reportingController)})`,
      },
    },
  ]
}

/** How its Events say who speaks. */
const reportingController = 'portcullis'

const onlyRouters = `its objects are those of routers, named ${routerName('NAME')}`
const isNamedAsARouter = `(object == null ? oldObject : object).metadata.name.startsWith(${text(routerName(''))})`

/** A list, which is empty where there is no such annotation. */
function consentOf(object: string): string {
  return `${object}.metadata.?annotations.orValue({}).map(k, k == ${text(autoDeleteAnnotation)}, ${object}.metadata.annotations[k])`
}

function finalizersOfOthers(object: string): string {
  return `${object}.metadata.?finalizers.orValue([]).filter(f, f != ${text(finalizer)})`
}

function policyOf({ name, rule, variables = {}, validations }: Policy, options: PolicyOptions): Manifest {
  const account = `system:serviceaccount:${options.operatorNamespace}:${options.name}`
  const { apiGroup, resources, operations } = rule
  return {
    apiVersion,
    kind: 'ValidatingAdmissionPolicy',
    metadata: metadata(name, options),
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [{ apiGroups: [apiGroup], apiVersions: ['v1'], operations, resources }],
      },
      matchConditions: [
        { name: 'the-operator', expression: `request.userInfo.username == ${text(account)}` },
      ],
      variables: Object.entries(variables).map(([name, expression]) => ({ name, expression })),
      validations: Object.entries(validations).map(([rule, expression]) => ({
        expression,
        message: `The operator is not allowed to do this: ${rule}.`,
      })),
    },
  }
}

function bindingOf({ name }: Policy, options: PolicyOptions): Manifest {
  return {
    apiVersion,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: metadata(name, options),
    spec: { policyName: metadata(name, options).name, validationActions: ['Deny'] },
  }
}

function metadata(name: string, options: PolicyOptions): Manifest['metadata'] {
  return { name: `${options.name}-${name}`, labels: labelsOf(options) }
}
