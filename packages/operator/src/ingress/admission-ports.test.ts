import { describe, expect, test } from 'vitest'
import { anIngressController } from '../testing/a-snapshot.ts'
import { aNode, inCluster, onHostPorts } from '../testing/nodes.ts'
import type { Scene } from '../testing/scene.ts'

const path = 'spec.endpointPublishingStrategy'

function admitted(scene: Scene) {
  scene.settle()
  return scene.condition('Admitted')
}

describe('ports', () => {
  test.each([30_000, 32_767, 32_768, 65_535])(
    'The port %d lies in the range of node ports or above, and is refused',
    (port) => {
      expect(admitted(onHostPorts({ statsPort: port }))).toMatchObject({
        status: 'False',
        message: `${path}.hostNetwork.statsPort is ${port}, which is in or above the cluster's node port range, where a Service may take it at any time: choose a port below 30000.`,
      })
    },
  )

  test.each([1, 81, 29_999])('The port %d lies below the range, and is admitted', (port) => {
    expect(admitted(onHostPorts({ httpPort: port })).status).toBe('True')
  })

  test('The ports must be outside the configured node-port range', () => {
    const scene = onHostPorts({ httpPort: 20_000 })
    scene.settings = { ...scene.settings, firstNodePort: 20_000 }
    expect(admitted(scene)).toMatchObject({
      status: 'False',
      message: expect.stringContaining('below 20000'),
    })
    scene.settings = { ...scene.settings, firstNodePort: 20_001 }
    expect(admitted(scene).status).toBe('True')
  })

  test('Two equal ports are refused, the default of one that is not set included', () => {
    expect(admitted(onHostPorts({ httpPort: 8080, httpsPort: 8080 })).message).toBe(
      `${path}.hostNetwork.httpsPort is 8080, the same as httpPort: choose three different ports.`,
    )
    expect(admitted(onHostPorts({ httpPort: 443 })).message).toContain(
      'httpsPort is 443, the same as httpPort',
    )
    expect(admitted(onHostPorts({ statsPort: 80 })).message).toContain(
      'statsPort is 80, the same as httpPort',
    )
  })

  test('The ports are refused with every problem in one message', () => {
    const { message } = admitted(onHostPorts({ httpPort: 30_000, httpsPort: 30_000, statsPort: 40_000 }))
    for (const part of [
      'httpPort is 30000',
      'httpsPort is 30000',
      'statsPort is 40000',
      'the same as httpPort',
    ])
      expect(message).toContain(part)
  })

  test('The ports of running routers stay as they are while the change is refused', () => {
    const scene = inCluster(onHostPorts(), [aNode('a')], [])
    scene.settle()
    const before = [scene.deployment, scene.controller.status.endpointPublishingStrategy]
    scene.spec({ endpointPublishingStrategy: { hostNetwork: { httpPort: 443 } } }).settle()
    expect(scene.condition('Admitted').status).toBe('False')
    expect([scene.deployment, scene.controller.status.endpointPublishingStrategy]).toEqual(before)
  })
})

describe('members', () => {
  const members = {
    LoadBalancerService: 'loadBalancer',
    HostNetwork: 'hostNetwork',
    NodePortService: 'nodePort',
    Private: 'private',
  }
  const pairs = Object.keys(members).flatMap((type) =>
    Object.entries(members).map(([owner, member]) => [member, type, owner === type] as const),
  )

  test.each(pairs)('A spec with %s and the type %s is admitted: %s', (member, type, isOwn) => {
    const value = member === 'loadBalancer' ? { scope: 'External' } : {}
    const scene = anIngressController()
      .on('AWS')
      .spec({ endpointPublishingStrategy: { type, [member]: value } })
    const { status, message } = admitted(scene)
    expect(status).toBe(isOwn ? 'True' : 'False')
    if (isOwn) return
    expect(message).toContain(`${path}.${member} cannot be set with ${path}.type "${type}"`)
    expect(message).toContain(`--patch='{"spec":{"endpointPublishingStrategy":{"${member}":null}}}'`)
  })
})

describe('what is not set', () => {
  test('A spec from which a port is removed, or all of them, goes back to the defaults', () => {
    const scene = inCluster(
      onHostPorts({ httpPort: 8080, httpsPort: 8443, statsPort: 8936 }),
      [aNode('a')],
      [],
    )
    const ports = () => {
      scene.settle()
      const { httpPort, httpsPort, statsPort } =
        scene.controller.status.endpointPublishingStrategy.hostNetwork
      return [httpPort, httpsPort, statsPort]
    }
    expect(ports()).toEqual([8080, 8443, 8936])
    scene.spec({ endpointPublishingStrategy: { hostNetwork: { httpsPort: null } } })
    expect(ports()).toEqual([8080, 443, 8936])
    scene.spec({ endpointPublishingStrategy: { hostNetwork: null } })
    expect(ports()).toEqual([80, 443, 1936])
  })

  test('A status that an older version wrote without hostNetwork is filled', () => {
    const scene = inCluster(onHostPorts(), [aNode('a')], [])
    scene.settle()
    const old = { endpointPublishingStrategy: { hostNetwork: null } }
    scene.edit('IngressController', { status: old }, { manager: 'old' }).settle()
    expect(scene.controller.status.endpointPublishingStrategy).toEqual({
      type: 'HostNetwork',
      hostNetwork: { httpPort: 80, httpsPort: 443, statsPort: 1936, protocol: 'TCP' },
    })
  })
})
