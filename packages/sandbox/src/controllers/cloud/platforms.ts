/** The clouds that the sandbox plays: what differs between them, as data. */
export interface CloudPlatform {
  readonly name: string
  /** Whether load balancers are known by a host name or by an IP. */
  readonly addresses: 'hostname' | 'ip'
  /** Whether a changed scope annotation on a live load balancer is carried out (and gives a new address). */
  readonly changesScopeInPlace: boolean
  readonly isInternal: (annotations: Annotations) => boolean
  /** What the cloud answers when it does not play along; each becomes part of an event's message. */
  readonly errors: Readonly<Record<CloudError, (loadBalancer: RefusedLoadBalancer) => string>>
}

/** A load balancer with which the cloud does not play along. */
export interface RefusedLoadBalancer {
  readonly name: string
  /** Whether AWS is asked for a network load balancer: those are another service's. */
  readonly isNetwork: boolean
}

export type Annotations = Readonly<Record<string, string>>

export type CloudError = 'quota' | 'createDenied' | 'deleteDenied' | 'updateDenied' | 'updateFails'

export type CloudPlatformName = keyof typeof cloudPlatforms

const ibmAnnotation = 'service.kubernetes.io/ibm-load-balancer-cloud-provider-ip-type'
const isIbmInternal = (annotations: Annotations) => annotations[ibmAnnotation] === 'private'

/** As the AWS SDK and the cloud controller manager word it, which the stories in testing/aws compare. */
const elb =
  (operation: string, answer: string) =>
  ({ name, isNetwork }: RefusedLoadBalancer) => {
    const service = isNetwork ? 'Elastic Load Balancing v2' : 'Elastic Load Balancing'
    const error = `operation error ${service}: ${operation}, https response error StatusCode: ${answer.startsWith('api error') ? 403 : 400}, RequestID: ${requestId(name)}, ${answer}`
    if (!isNetwork) return error
    return operation === 'DeleteLoadBalancer'
      ? `error deleting load balancer "${name}": ${error}`
      : `error creating load balancer: "${error}"`
  }

const notAuthorized = (action: string) =>
  `api error AccessDenied: User: arn:aws:sts::123456789012:assumed-role/sandbox/cloud-controller is not authorized to perform: elasticloadbalancing:${action}`

const azure = (status: number, code: string, message: string) => () =>
  `Retriable: false, RetryAfter: 0s, HTTPStatusCode: ${status}, RawError: {"error":{"code":"${code}","message":"${message}"}}`

const azureDenied = (action: string) =>
  azure(
    403,
    'AuthorizationFailed',
    `The client does not have authorization to perform action 'Microsoft.Network/loadBalancers/${action}' over scope '/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/sandbox'.`,
  )

const gcpDenied =
  (action: string) =>
  ({ name }: RefusedLoadBalancer) =>
    `googleapi: Error 403: Required 'compute.forwardingRules.${action}' permission for 'projects/sandbox/regions/us-central1/forwardingRules/${name}', forbidden`

const ibm = (what: string, code: string, message: string) => () => `${what}: ${message} (code: ${code})`

const ibmErrors = {
  quota: ibm(
    'CreateLoadBalancer failed',
    'over_quota',
    'The quota of load balancers for this account is used up.',
  ),
  createDenied: ibm('CreateLoadBalancer failed', 'not_authorized', 'The request is not authorized.'),
  deleteDenied: ibm('DeleteLoadBalancer failed', 'not_authorized', 'The request is not authorized.'),
  updateDenied: ibm('UpdateLoadBalancer failed', 'not_authorized', 'The request is not authorized.'),
  updateFails: ibm('UpdateLoadBalancer failed', 'internal_error', 'Internal error.'),
}

const octavia = (method: string, code: number, answer: string) => () =>
  `Expected HTTP response code [200 201 202 204] when accessing [${method} https://octavia.sandbox:9876/v2.0/lbaas/loadbalancers], but got ${code} instead: {"faultcode": "Client", "faultstring": "${answer}", "debuginfo": null}`

export const cloudPlatforms = {
  AWS: {
    name: 'AWS',
    addresses: 'hostname',
    changesScopeInPlace: false,
    // Any value but "false" will do: `0.0.0.0/0` was how it was written once.
    isInternal: (annotations) =>
      !['', 'false'].includes(annotations['service.beta.kubernetes.io/aws-load-balancer-internal'] ?? ''),
    errors: {
      quota: elb('CreateLoadBalancer', 'TooManyLoadBalancers: Exceeded quota of account 123456789012'),
      createDenied: elb('CreateLoadBalancer', notAuthorized('CreateLoadBalancer')),
      deleteDenied: elb('DeleteLoadBalancer', notAuthorized('DeleteLoadBalancer')),
      updateDenied: elb('ModifyLoadBalancerAttributes', notAuthorized('ModifyLoadBalancerAttributes')),
      updateFails: elb(
        'ModifyLoadBalancerAttributes',
        'InvalidConfigurationRequest: The request is not valid',
      ),
    },
  },
  Azure: {
    name: 'Azure',
    addresses: 'ip',
    changesScopeInPlace: true,
    isInternal: (annotations) =>
      annotations['service.beta.kubernetes.io/azure-load-balancer-internal'] === 'true',
    errors: {
      quota: azure(
        400,
        'PublicIPCountLimitReached',
        'Cannot create more than 10 public IP addresses for this subscription in this region.',
      ),
      createDenied: azureDenied('write'),
      deleteDenied: azureDenied('delete'),
      updateDenied: azureDenied('write'),
      updateFails: azure(
        409,
        'AnotherOperationInProgress',
        'Another operation on this or dependent resource is in progress.',
      ),
    },
  },
  GCP: {
    name: 'GCP',
    addresses: 'ip',
    changesScopeInPlace: true,
    isInternal: (annotations) =>
      (
        annotations['networking.gke.io/load-balancer-type'] ??
        annotations['cloud.google.com/load-balancer-type']
      )?.toLowerCase() === 'internal',
    errors: {
      quota: () =>
        `googleapi: Error 403: Quota 'FORWARDING_RULES' exceeded.  Limit: 15.0 in region us-central1., quotaExceeded`,
      createDenied: gcpDenied('create'),
      deleteDenied: gcpDenied('delete'),
      updateDenied: gcpDenied('delete'),
      updateFails: ({ name }) =>
        `googleapi: Error 400: The forwarding_rule resource 'projects/sandbox/regions/us-central1/forwardingRules/${name}' is not ready, resourceNotReady`,
    },
  },
  IBMCloud: {
    name: 'IBMCloud',
    addresses: 'hostname',
    changesScopeInPlace: false,
    isInternal: isIbmInternal,
    errors: ibmErrors,
  },
  PowerVS: {
    name: 'PowerVS',
    addresses: 'ip',
    changesScopeInPlace: false,
    isInternal: isIbmInternal,
    errors: ibmErrors,
  },
  OpenStack: {
    name: 'OpenStack',
    addresses: 'ip',
    changesScopeInPlace: false,
    isInternal: (annotations) =>
      annotations['service.beta.kubernetes.io/openstack-internal-load-balancer'] === 'true',
    errors: {
      quota: octavia('POST', 403, 'Quota has been met for resources: load_balancer'),
      createDenied: octavia('POST', 403, 'Policy does not allow this request to be performed.'),
      deleteDenied: octavia('DELETE', 403, 'Policy does not allow this request to be performed.'),
      updateDenied: octavia('PUT', 403, 'Policy does not allow this request to be performed.'),
      updateFails: octavia('PUT', 409, 'Load Balancer is immutable and cannot be updated.'),
    },
  },
} as const satisfies Record<string, CloudPlatform>

/** The same for every try, so that repetitions are counted on one Event. */
function requestId(loadBalancer: string): string {
  const hex = loadBalancer.slice(1).padEnd(32, '0')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  )
}
