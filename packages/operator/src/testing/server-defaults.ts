import type { AnyObject } from './fake-api-server.ts'

/** What an API server fills in where a field is left out, as far as it could mislead a comparison. */
export function withDefaults(object: AnyObject): AnyObject {
  const fill = object.kind === undefined ? undefined : defaults[object.kind]
  return fill === undefined ? object : { ...object, spec: withoutEmptyLists(fill(object.spec)) }
}

type Fields = AnyObject['spec']

const defaults: Readonly<Record<string, (spec: Fields) => Fields>> = {
  Service: serviceDefaults,
  Deployment: deploymentDefaults,
}

/** In the types of Kubernetes a list without items and no list are the same. */
function withoutEmptyLists(value: Fields): Fields {
  if (Array.isArray(value)) return value.map(withoutEmptyLists)
  if (typeof value !== 'object' || value === null) return value
  const full = Object.entries(value).filter(([, part]) => !(Array.isArray(part) && part.length === 0))
  return Object.fromEntries(full.map(([field, part]) => [field, withoutEmptyLists(part)]))
}

function serviceDefaults(spec: Fields): Fields {
  const isLoadBalancer = spec.type === 'LoadBalancer'
  return {
    clusterIP: '10.0.0.7',
    clusterIPs: ['10.0.0.7'],
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
    internalTrafficPolicy: 'Cluster',
    sessionAffinity: 'None',
    ...(isLoadBalancer && { allocateLoadBalancerNodePorts: true, externalTrafficPolicy: 'Cluster' }),
    ...(isLoadBalancer && spec.externalTrafficPolicy === 'Local' && { healthCheckNodePort: 30999 }),
    ...spec,
    ports: (spec.ports ?? []).map((port: Fields) => ({
      protocol: 'TCP',
      ...(isLoadBalancer && { nodePort: 30000 + port.port }),
      ...port,
    })),
  }
}

function deploymentDefaults(spec: Fields): Fields {
  const { template } = spec
  return {
    revisionHistoryLimit: 10,
    ...spec,
    template: {
      ...template,
      spec: {
        restartPolicy: 'Always',
        schedulerName: 'default-scheduler',
        securityContext: {},
        serviceAccount: template.spec.serviceAccountName,
        ...template.spec,
        containers: template.spec.containers.map((container: Fields) => ({
          imagePullPolicy: 'Always',
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          ...container,
          ports: (container.ports ?? []).map((port: Fields) => ({
            ...(template.spec.hostNetwork === true && { hostPort: port.containerPort }),
            ...port,
          })),
          ...probeDefaults(container),
        })),
      },
    },
  }
}

function probeDefaults(container: Fields): Fields {
  const probes = ['startupProbe', 'readinessProbe', 'livenessProbe'].filter((probe) => probe in container)
  return Object.fromEntries(
    probes.map((probe) => [probe, { timeoutSeconds: 1, successThreshold: 1, ...container[probe] }]),
  )
}
