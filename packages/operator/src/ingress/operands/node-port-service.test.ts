import { expect, test } from 'vitest'
import { anIngressController } from '../../testing/a-snapshot.ts'

const name = 'router-nodeport-edge'

function published() {
  const scene = anIngressController()
    .on('None')
    .spec({ endpointPublishingStrategy: { type: 'NodePortService' } })
  scene.settle()
  const service = () => {
    const found = scene.server.get('Service', name)
    if (found === undefined) throw new Error('There is no Service.')
    return found
  }
  return { scene, service }
}

test('The node port Service has named ports for traffic and for health checks (BZ1881210)', () => {
  const { spec } = published().service()
  expect(spec).toMatchObject({ type: 'NodePort', externalTrafficPolicy: 'Local' })
  expect(
    spec.ports.map(({ port, targetPort }: { port: number; targetPort: string }) => [port, targetPort]),
  ).toEqual([
    [80, 'http'],
    [443, 'https'],
    [1936, 'metrics'],
  ])
})

test('The node port Service keeps node ports that a user set', () => {
  const { scene, service } = published()
  const fixed = [30_080, 30_443, 31_936]
  const ports = service().spec.ports.map((port: object, at: number) => ({ ...port, nodePort: fixed[at] }))
  scene.edit('Service', { spec: { ports } }, { name })
  const before = service()
  scene.settle()
  scene.spec({ httpHeaders: { forwardedHeaderPolicy: 'Never' } }).settle()
  expect(service()).toEqual(before)
})

test('The node port Service gets its managed fields restored, and keeps its node ports', () => {
  const { scene, service } = published()
  const ports = service().spec.ports.map((port: object, at: number) => ({
    ...port,
    nodePort: 30_100 + at,
    targetPort: 'elsewhere',
  }))
  scene.edit('Service', { spec: { ports } }, { name }).settle()
  expect(service().spec.ports).toMatchObject([
    { targetPort: 'http', nodePort: 30_100 },
    { targetPort: 'https', nodePort: 30_101 },
    { targetPort: 'metrics', nodePort: 30_102 },
  ])
})

test('The node port Service is left alone and reported if it has another owner', () => {
  const scene = anIngressController()
    .on('None')
    .spec({ endpointPublishingStrategy: { type: 'NodePortService' } })
  const theirs = {
    kind: 'Service',
    metadata: { namespace: 'openshift-ingress', name },
    spec: { ports: [{ port: 1 }] },
  }
  const before = scene.server.create('somebody', theirs)
  scene.settle()
  expect(scene.server.get('Service', name)).toEqual(before)
  expect(scene.condition('OperandsManaged').message).toContain(`Service openshift-ingress/${name}`)
})
