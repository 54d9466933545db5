import { describe, expect, test } from 'vitest'
import { anIngressController } from '../../testing/a-snapshot.ts'
import type { Scene } from '../../testing/scene.ts'
import { ownerLabel, routerLabel, templateHashLabel } from '../names.ts'
import { routerDeployment } from './router-deployment.ts'

const onAws = () => anIngressController().on('AWS').scoped('External')
const onHost = (hostNetwork: object = {}) =>
  anIngressController()
    .on('None')
    .spec({ endpointPublishingStrategy: { type: 'HostNetwork', hostNetwork } })

const onOpenShift = (edge: Scene) => {
  edge.settings = { ...edge.settings, commandLine: 'oc' }
  return edge
}

const made = (edge: Scene) => {
  edge.settle()
  return edge.deployment
}
const podOf = (edge: Scene) => made(edge).spec.template.spec
const routerOf = (edge: Scene) => podOf(edge).containers[0]

describe('the replicas of a router Deployment', () => {
  test('The replicas of a router Deployment are two by default, and one on a single node', () => {
    expect(made(onAws()).spec.replicas).toBe(2)
    const single = onAws()
    single.isSingleNode = true
    expect(made(single).spec.replicas).toBe(1)
    expect(made(onAws().spec({ replicas: 3 })).spec.replicas).toBe(3)
    expect(made(onAws().spec({ replicas: 0 })).spec.replicas).toBe(0)
  })

  test('The replicas of a router Deployment are not written while another client sets them', () => {
    const { controller, settings, isSingleNode } = onAws().snapshot()
    const written = (areOthers: boolean) =>
      routerDeployment({
        controller,
        settings,
        isSingleNode,
        domain: 'apps.example.com',
        replicas: { count: 5, areOthers },
        strategy: { type: 'Private' },
        loadBalancerType: undefined,
        loadBalancerSendsProxyHeader: false,
        rollingUpdate: { maxSurge: 0, maxUnavailable: 1 },
        usersSourceRanges: [],
      }).spec
    expect(written(false)).toMatchObject({ replicas: 5 })
    expect(written(true)).toMatchObject({ replicas: undefined })
  })

  test.each([
    { replicas: 2, maxUnavailable: '50%' },
    { replicas: 3, maxUnavailable: '50%' },
    { replicas: 4, maxUnavailable: '25%' },
  ])(
    'The replicas of a router Deployment have maxUnavailable $maxUnavailable if they are $replicas',
    ({ replicas, maxUnavailable }) => {
      expect(made(onAws().spec({ replicas })).spec.strategy).toEqual({
        type: 'RollingUpdate',
        rollingUpdate: { maxSurge: '25%', maxUnavailable },
      })
    },
  )

  test('The replicas of a router Deployment have maxSurge 0 on host ports', () => {
    expect(made(onHost()).spec.strategy.rollingUpdate).toEqual({ maxSurge: 0, maxUnavailable: '25%' })
  })

  test('The replicas of a router Deployment are available after half a minute, and have an hour to drain connections', () => {
    expect(made(onAws()).spec).toMatchObject({ minReadySeconds: 30, progressDeadlineSeconds: 600 })
    expect(podOf(onAws()).terminationGracePeriodSeconds).toBe(3600)
    expect(podOf(onAws()).priorityClassName).toBe('system-cluster-critical')
  })
})

describe('routers are scheduled', () => {
  test('Routers are scheduled on Linux; on OpenShift on workers, which are labelled there', () => {
    expect(podOf(onAws()).nodeSelector).toEqual({ 'kubernetes.io/os': 'linux' })
    expect(podOf(onOpenShift(onAws())).nodeSelector).toEqual({
      'kubernetes.io/os': 'linux',
      'node-role.kubernetes.io/worker': '',
    })
  })

  test('Routers are scheduled as nodePlacement says, and by default again once it is removed', () => {
    const edge = onAws()
    edge.spec({
      nodePlacement: {
        nodeSelector: { matchLabels: { zone: 'a' } },
        tolerations: [{ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }],
      },
    })
    expect(podOf(edge)).toMatchObject({
      nodeSelector: { zone: 'a' },
      // tolerationSeconds is part of it.
      tolerations: [{ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }],
    })
    expect(podOf(edge).nodeSelector).not.toHaveProperty(['kubernetes.io/os'])
    edge.spec({ nodePlacement: null })
    expect(podOf(edge).nodeSelector).toEqual({ 'kubernetes.io/os': 'linux' })
    expect(podOf(edge)).not.toHaveProperty('tolerations')
  })

  test('Routers are scheduled with empty strings in tolerations treated as absent, as the API server does', () => {
    const edge = onAws()
    edge.spec({ nodePlacement: { tolerations: [{ key: 'a', operator: '', value: '', effect: '' }] } })
    expect(podOf(edge).tolerations).toEqual([{ key: 'a' }])
  })

  test('Routers are scheduled apart from each other and spread across zones, a new one beside the old one that it replaces', () => {
    const { affinity, topologySpreadConstraints } = podOf(onAws())
    const hash = made(onAws()).spec.template.metadata.labels[templateHashLabel]
    const same = { matchLabels: { [routerLabel]: 'edge', [ownerLabel]: 'edge', [templateHashLabel]: hash } }
    expect(affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution).toEqual([
      { labelSelector: same, topologyKey: 'kubernetes.io/hostname' },
    ])
    expect(affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution).toMatchObject([
      {
        weight: 100,
        podAffinityTerm: {
          labelSelector: {
            matchExpressions: [{ key: templateHashLabel, operator: 'NotIn', values: [hash] }],
          },
        },
      },
    ])
    expect(topologySpreadConstraints).toEqual([
      {
        maxSkew: 1,
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: same,
      },
    ])
  })

  test('Routers are scheduled without affinity on a single node and on host ports', () => {
    const single = onAws()
    single.isSingleNode = true
    expect(podOf(single)).not.toHaveProperty('affinity')
    expect(podOf(onHost())).not.toHaveProperty('affinity')
  })
})

describe('a router', () => {
  test('A router has its probes on the stats port', () => {
    expect(routerOf(onAws())).toMatchObject({
      livenessProbe: {
        httpGet: { path: '/healthz', port: 1936 },
        periodSeconds: 10,
        failureThreshold: 3,
        terminationGracePeriodSeconds: 10,
      },
      readinessProbe: {
        httpGet: { path: '/healthz/ready', port: 1936 },
        periodSeconds: 10,
        failureThreshold: 3,
      },
      startupProbe: {
        httpGet: { path: '/healthz/ready', port: 1936 },
        periodSeconds: 1,
        failureThreshold: 120,
      },
    })
  })

  test('A router listens inside its pod, unless it uses the host network, where its ports are host ports (BZ1880902)', () => {
    const inPod = podOf(onAws())
    expect(inPod).toMatchObject({ dnsPolicy: 'ClusterFirst' })
    expect(inPod).not.toHaveProperty('hostNetwork')
    expect(routerOf(onAws()).ports).toEqual([
      { name: 'http', containerPort: 80, protocol: 'TCP' },
      { name: 'https', containerPort: 443, protocol: 'TCP' },
      { name: 'metrics', containerPort: 1936, protocol: 'TCP' },
    ])
    const ports = { httpPort: 8080, httpsPort: 8443, statsPort: 9936 }
    expect(podOf(onHost(ports))).toMatchObject({ hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' })
    expect(routerOf(onHost(ports)).ports).toEqual([
      { name: 'http', containerPort: 8080, hostPort: 8080, protocol: 'TCP' },
      { name: 'https', containerPort: 8443, hostPort: 8443, protocol: 'TCP' },
      { name: 'metrics', containerPort: 9936, hostPort: 9936, protocol: 'TCP' },
    ])
    expect(routerOf(onHost(ports)).livenessProbe.httpGet).toEqual({
      path: '/healthz',
      port: 9936,
      scheme: 'HTTP',
    })
    expect(routerOf(onOpenShift(onHost(ports))).livenessProbe.httpGet).toMatchObject({ host: 'localhost' })
    expect(routerOf(onOpenShift(onAws())).livenessProbe.httpGet).not.toHaveProperty('host')
  })

  test('A router mounts the default certificate if there is one', () => {
    const edge = onAws().spec({ defaultCertificate: { name: 'mine' } })
    const volume = { name: 'default-certificate', secret: { secretName: 'mine', defaultMode: 0o644 } }
    const mount = { name: 'default-certificate', mountPath: '/etc/pki/tls/private', readOnly: true }
    expect(podOf(edge).volumes).toContainEqual(volume)
    expect(routerOf(edge).volumeMounts).toContainEqual(mount)
    edge.spec({ defaultCertificate: null })
    expect(podOf(edge).volumes).not.toContainEqual(volume)
    expect(routerOf(edge).volumeMounts).not.toContainEqual(mount)
  })

  test('A router has the configured image', () => {
    const edge = onAws()
    edge.settings = { ...edge.settings, routerImage: 'example.com/router:1' }
    expect(routerOf(edge).image).toBe('example.com/router:1')
  })
})

describe('a live Deployment', () => {
  test('A live Deployment is not updated for fields that the API server defaults (OCPBUGS-14995, BZ2081447)', () => {
    const edge = onAws().published()
    expect(edge.decide().actions).toEqual([])
    const host = onHost().published()
    expect(host.decide().actions).toEqual([])
  })

  test('A live Deployment keeps fields that other clients set: probe timeouts, sidecars, variables, labels', () => {
    const edge = onAws().published()
    const router = edge.deployment.spec.template.spec.containers[0]
    const edited = {
      ...router,
      livenessProbe: { ...router.livenessProbe, timeoutSeconds: 9 },
      env: [...router.env, { name: 'MINE', value: 'yes' }],
    }
    edge.edit('Deployment', {
      metadata: { labels: { team: 'web' } },
      spec: {
        template: {
          spec: {
            containers: [edited, { name: 'sidecar', ports: [] }],
            tolerations: [{ operator: 'Exists' }],
          },
        },
      },
    })
    edge.spec({ replicas: 3 }).settle()
    const [first, second] = edge.deployment.spec.template.spec.containers
    expect(first.livenessProbe.timeoutSeconds).toBe(9)
    expect(first.env).toContainEqual({ name: 'MINE', value: 'yes' })
    expect(second.name).toBe('sidecar')
    expect(edge.deployment.spec.template.spec.tolerations).toEqual([{ operator: 'Exists' }])
    expect(edge.deployment.metadata.labels).toMatchObject({ team: 'web' })
  })

  test.each([
    ['the network', { spec: { template: { spec: { hostNetwork: false } } } }],
    ['a label', { spec: { template: { metadata: { labels: { [ownerLabel]: 'x' } } } } }],
    ['replicas', { spec: { replicas: 9 } }],
  ])('A live Deployment is restored after a change of %s', (_, patch) => {
    const edge = onHost().spec({ replicas: 2 }).published()
    const before = edge.deployment.spec
    edge.edit('Deployment', patch).settle()
    expect(edge.deployment.spec).toEqual(before)
  })

  test('A live Deployment gets another hash if its pod template changes, and the same for the same', () => {
    const hashOf = (edge: Scene) => made(edge).spec.template.metadata.labels[templateHashLabel]
    const edge = onAws()
    const first = hashOf(edge)
    edge.spec({ replicas: 7 })
    expect(hashOf(edge)).toBe(first)
    edge.spec({ httpHeaders: { forwardedHeaderPolicy: 'Never' } })
    expect(hashOf(edge)).not.toBe(first)
    edge.spec({ httpHeaders: null })
    expect(hashOf(edge)).toBe(first)
  })

  test('A live Deployment is not updated while it is terminating', () => {
    const edge = onAws().published()
    edge.edit('Deployment', { metadata: { finalizers: ['example.com/mine'] } }).remove('Deployment')
    edge.spec({ httpHeaders: { forwardedHeaderPolicy: 'Never' } })
    expect(edge.decide().actions.filter(({ kind }) => kind.kind === 'Deployment')).toEqual([])
  })
})
