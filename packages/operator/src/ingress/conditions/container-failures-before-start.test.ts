import { describe, expect, test } from 'vitest'
import { aNode, aRouterPod, inCluster, onHostPorts } from '../../testing/nodes.ts'
import { conditionOf } from '../../testing/pod-conditions.ts'

describe('a router whose container never ran', () => {
  const conditionWith = (status: object, initImage = 'example.com/router:1') => {
    const pod = aRouterPod('third', 1, { node: 'a' })
    const spec = {
      nodeName: 'a',
      initContainers: [{ name: 'init-router', image: initImage }],
      containers: [{ name: 'router', image: 'example.com/router:1' }],
    }
    const scene = inCluster(
      onHostPorts(),
      [aNode('a')],
      [{ ...pod, spec, status: { ...pod.status, ...status } }],
    )
    return conditionOf(scene, 'PodsStarted')
  }
  const waits = (reason: string, message?: string, more: object = {}) =>
    conditionWith({
      containerStatuses: [{ name: 'router', ready: false, state: { waiting: { reason, message } }, ...more }],
    })
  const registry = `failed to pull and unpack image "example.com/router:1": ${'x'.repeat(200)}: not found`
  const toSee = 'To see its events: `kubectl -n openshift-ingress describe pod/router-third-1`'

  test.each([
    ['ErrImagePull', registry],
    ['ImagePullBackOff', `Back-off pulling image "example.com/router:1": ErrImagePull: ${registry}`],
  ])(
    'A router whose image cannot be pulled has the reason ImagePullFailed, with image, node and what the registry said: %s',
    (reason, said) => {
      expect(waits(reason, said)).toMatchObject({
        status: 'False',
        reason: 'ImagePullFailed',
        message: `Pod openshift-ingress/router-third-1 on node a cannot pull image example.com/router:1 (ImagePullBackOff). The kubelet says: "${registry}". ${toSee}`,
      })
    },
  )

  test.each([
    ['InvalidImageName', 'cannot pull image'],
    ['ErrImageNeverPull', 'cannot find image'],
    ['ImageInspectError', 'cannot read image'],
    ['RegistryUnavailable', 'cannot pull image'],
    ['SignatureValidationFailed', 'cannot verify image'],
  ])(
    'A router whose container never ran is reported as the kubelet calls it, without words if there are none: %s',
    (reason, what) => {
      const { message } = waits(reason)
      expect(message).toBe(
        `Pod openshift-ingress/router-third-1 on node a ${what} example.com/router:1 (${reason}). ${toSee}`,
      )
    },
  )

  test('A router whose container never ran is reported if it is the init container that needs the image', () => {
    const status = {
      initContainerStatuses: [
        { name: 'init-router', ready: false, state: { waiting: { reason: 'ErrImagePull', message: 'no' } } },
      ],
      containerStatuses: [
        { name: 'router', ready: false, state: { waiting: { reason: 'PodInitializing' } } },
      ],
    }
    const { reason, message } = conditionWith(status, 'example.com/init:1')
    expect(reason).toBe('ImagePullFailed')
    expect(message).toContain('cannot pull image example.com/init:1 (ImagePullBackOff)')
  })

  test('A router whose container never ran is reported although another container of its pod does no harm', () => {
    const running = { name: 'sidecar', ready: false, restartCount: 0, state: { running: {} } }
    const failing = { name: 'router', ready: false, state: { waiting: { reason: 'ErrImagePull' } } }
    expect(conditionWith({ containerStatuses: [running, failing] }).message).toContain(
      'cannot pull image example.com/router:1',
    )
  })

  test.each([
    [' no \n', 'The kubelet says: "no".'],
    ['see: Back-off pulling image "x": no', 'The kubelet says: "see: Back-off pulling image "x": no".'],
  ])(
    'A router whose container never ran is reported with the words of the kubelet as they are: %j',
    (said, shown) => {
      expect(waits('ErrImagePull', said).message).toContain(`(ImagePullBackOff). ${shown} To see`)
    },
  )

  test.each([' \n', undefined])(
    'A router whose container never ran is reported without words of the kubelet that say nothing: %j',
    (said) => {
      expect(waits('CreateContainerError', said).message).toContain(`(CreateContainerError). ${toSee}`)
      const terminated = { exitCode: 128, reason: 'StartError', message: said }
      const state = { terminated }
      expect(
        conditionWith({ containerStatuses: [{ name: 'router', ready: false, state }] }).message,
      ).toContain(`(RunContainerError). ${toSee}`)
    },
  )

  test('A router whose container ran, and waits for a reason that is not known, fails with its log', () => {
    const lastState = { terminated: { exitCode: 1, message: 'no' } }
    expect(waits('PostStartHookError', 'no', { lastState }).reason).toBe('RouterFails')
  })

  test('A router whose container never ran is reported with untrusted words cut at their end, on one line and without commands of their own', () => {
    const { message } = waits('ErrImagePull', `first\n\`rm -rf /\`${'x'.repeat(500_000)}last`)
    expect(message).toContain(`The kubelet says: "first 'rm -rf /'xxx`)
    expect(message).toContain('x…". To see its events: ')
    expect(message).not.toContain('last')
  })

  test.each([
    ['CreateContainerConfigError', 'secret "tls" not found'],
    ['CreateContainerError', 'context deadline exceeded'],
    ['RunContainerError', 'exec: "/bin/router": stat /bin/router: no such file or directory'],
    ['PreCreateHookError', 'no'],
  ])(
    'A router whose container cannot be started has the reason ContainerStartFailed, with the words of the kubelet: %s',
    (reason, said) => {
      expect(waits(reason, said)).toMatchObject({
        status: 'False',
        reason: 'ContainerStartFailed',
        message: `Pod openshift-ingress/router-third-1 on node a cannot start container router (${reason}). The kubelet says: "${said}". ${toSee}`,
      })
    },
  )

  test.each(['StartError', 'ContainerCannotRun'])(
    'A router whose container never ran is reported alike while its runtime fails and while it waits for the next try: %s',
    (reason) => {
      const said = 'exec: "/bin/router": permission denied'
      const terminated = { exitCode: 128, reason, message: said }
      const other = waits('RunContainerError', said)
      const status = (container: object) =>
        conditionWith({ containerStatuses: [{ name: 'router', ...container }] })
      const waiting = { reason: 'CrashLoopBackOff', message: 'back-off' }
      expect(status({ ready: false, state: { terminated } })).toEqual(other)
      expect(status({ ready: false, state: { waiting }, lastState: { terminated } })).toEqual(other)
      expect(status({ ready: false, state: { running: {} }, lastState: { terminated } }).status).toBe('True')
    },
  )

  test('A router whose container cannot be started is reported although it ran before', () => {
    const lastState = { terminated: { exitCode: 255, reason: 'Unknown' } }
    expect(waits('CreateContainerError', 'no', { lastState, restartCount: 1 }).reason).toBe(
      'ContainerStartFailed',
    )
  })

  test('A router whose container never ran comes after a port in use and before a crash as the reason of the condition', () => {
    const failing = ['address already in use :80', 'out of memory'].map((message, at) =>
      aRouterPod('third', at, {
        node: 'a',
        container: { ready: false, restartCount: 1, state: { terminated: { exitCode: 1, message } } },
      }),
    )
    const unpulled = aRouterPod('third', 3, {
      node: 'a',
      container: { ready: false, state: { waiting: { reason: 'ErrImagePull' } } },
    })
    const reasonOf = (...pods: typeof failing) =>
      conditionOf(inCluster(onHostPorts(), [aNode('a')], pods), 'PodsStarted').reason
    expect(reasonOf(...failing, unpulled)).toBe('PortInUse')
    expect(reasonOf(...failing.slice(1), unpulled)).toBe('ImagePullFailed')
  })
})
