import { describe, expect, test } from 'vitest'
import { anIngressController } from '../../testing/a-snapshot.ts'
import type { Scene } from '../../testing/scene.ts'
import { routerMounts } from './router-security.ts'

const strategies = {
  LoadBalancerService: () => anIngressController().on('AWS').scoped('External'),
  NodePortService: () => of('NodePortService'),
  Private: () => of('Private'),
}
const of = (type: string, member: object = {}) =>
  anIngressController()
    .on('None')
    .spec({ endpointPublishingStrategy: { type, ...member } })
const onHost = (hostNetwork: object = {}) => of('HostNetwork', { hostNetwork })
const onOpenShift = (edge: Scene) => {
  edge.settings = { ...edge.settings, commandLine: 'oc' }
  return edge
}
const templateOf = (edge: Scene) => {
  edge.settle()
  return edge.deployment.spec.template
}
const contextsOf = (edge: Scene) => {
  const { spec } = templateOf(edge)
  return {
    pod: spec.securityContext,
    router: spec.containers[0].securityContext,
    init: spec.initContainers[0].securityContext,
  }
}

describe('on plain Kubernetes', () => {
  test.each(Object.entries(strategies))(
    'A router of %s on plain Kubernetes complies with the Pod Security Standard "restricted"',
    (_, scene) => {
      expect(contextsOf(scene())).toEqual({
        pod: {
          runAsNonRoot: true,
          runAsUser: 1001,
          seccompProfile: { type: 'RuntimeDefault' },
          sysctls: [{ name: 'net.ipv4.ip_unprivileged_port_start', value: '0' }],
        },
        router: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] },
        },
        init: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
      })
      expect(templateOf(scene()).metadata.annotations).toEqual({})
    },
  )

  test('A router on host ports below 1024 gets the capability NET_BIND_SERVICE and nothing else', () => {
    const { pod, router } = contextsOf(onHost())
    expect(pod).not.toHaveProperty('sysctls')
    expect(pod).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
    expect(router).toMatchObject({ allowPrivilegeEscalation: true, capabilities: { drop: ['ALL'] } })
  })

  test.each([
    [{ httpPort: 8080, httpsPort: 8443, statsPort: 9936 }, false],
    [{ httpPort: 1024, httpsPort: 8443, statsPort: 9936 }, false],
    [{ httpPort: 1023, httpsPort: 8443, statsPort: 9936 }, true],
    [{ httpPort: 8080, httpsPort: 1023, statsPort: 9936 }, true],
    [{ httpPort: 8080, httpsPort: 8443, statsPort: 1023 }, true],
  ])('A router on the host ports %o needs a privilege: %s', (ports, isNeeded) => {
    expect(contextsOf(onHost(ports)).router).toMatchObject({ allowPrivilegeEscalation: isNeeded })
  })
})

describe('on OpenShift', () => {
  test('A router on OpenShift names the SecurityContextConstraints that it needs, and complies with them', () => {
    const edge = onOpenShift(strategies.LoadBalancerService())
    expect(templateOf(edge).metadata.annotations).toEqual({ 'openshift.io/required-scc': 'restricted' })
    expect(contextsOf(edge)).toEqual({
      pod: { runAsNonRoot: true },
      router: { allowPrivilegeEscalation: true, readOnlyRootFilesystem: true },
      init: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
    })
  })

  test('A router on host ports of OpenShift names other SecurityContextConstraints', () => {
    const { metadata } = templateOf(onOpenShift(onHost()))
    expect(metadata.annotations).toEqual({ 'openshift.io/required-scc': 'hostnetwork' })
  })
})

test('A change of strategy leaves none of the privileges of the previous one', () => {
  const edge = strategies.Private()
  edge.settle()
  edge.spec({ endpointPublishingStrategy: { type: 'HostNetwork', private: null } }).settle()
  expect(contextsOf(edge)).toEqual(contextsOf(onHost()))
  edge.spec({ endpointPublishingStrategy: { type: 'Private', hostNetwork: null } }).settle()
  expect(contextsOf(edge)).toEqual(contextsOf(strategies.Private()))
})

test('The token is mounted only in the router container, expires, and comes with the CA and the namespace', () => {
  const { spec } = templateOf(strategies.Private())
  const isToken = ({ mountPath }: { mountPath: string }) => mountPath.includes('serviceaccount')
  expect(spec.automountServiceAccountToken).toBe(false)
  expect(spec.containers[0].volumeMounts.filter(isToken)).toEqual([
    {
      name: 'kube-api-access',
      mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
      readOnly: true,
    },
  ])
  expect(spec.initContainers[0].volumeMounts.filter(isToken)).toEqual([])
  const { sources } = spec.volumes.find(({ name }: { name: string }) => name === 'kube-api-access').projected
  expect(sources[0]).toEqual({ serviceAccountToken: { path: 'token', expirationSeconds: 3600 } })
})

test('As much CPU and memory is requested for a router as the settings say', () => {
  const edge = strategies.Private()
  edge.settings = { ...edge.settings, routerCpuRequest: '2', routerMemoryRequest: '1536Mi' }
  expect(templateOf(edge).spec.containers[0].resources).toEqual({
    requests: { cpu: '2', memory: '1536Mi' },
    limits: { memory: '2Gi' },
  })
})

test('The memory and the disk space of a router are limited', () => {
  const edge = strategies.Private()
  edge.settings = { ...edge.settings, routerMemoryLimit: '3Gi' }
  const { spec } = templateOf(edge)
  expect(spec.containers[0].resources).toEqual({
    requests: { cpu: '100m', memory: '256Mi' },
    limits: { memory: '3Gi' },
  })
  const disks = spec.volumes.filter((volume: object) => 'emptyDir' in volume)
  expect(disks.map(({ emptyDir }: { emptyDir: object }) => emptyDir)).toEqual([
    { sizeLimit: '1Gi' },
    { sizeLimit: '64Mi' },
  ])
})

test('Every volume mount of a router is one that the admission policy allows', () => {
  const { spec } = templateOf(strategies.Private().spec({ defaultCertificate: { name: 'mine' } }))
  const mounted = [...spec.containers, ...spec.initContainers].flatMap(({ volumeMounts }) => volumeMounts)
  expect(mounted).toHaveLength(routerMounts.length)
  expect(mounted).toEqual(expect.arrayContaining([...routerMounts]))
})
