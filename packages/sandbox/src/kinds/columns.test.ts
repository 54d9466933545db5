import type { AnyObject } from '@portcullis/schema'
import { expect, test } from 'vitest'
import { ageOf } from './columns.ts'
import { ingress } from './ingress.ts'
import type { Kind } from './kind.ts'
import { node } from './node.ts'
import { pod } from './pod.ts'
import { service } from './service.ts'

const now = new Date('2026-01-01T12:00:00Z')
const second = 1
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

test.each([
  [-5 * second, '<invalid>'],
  [-1 * second, '0s'],
  [0, '0s'],
  [119 * second, '119s'],
  [2 * minute, '2m'],
  [2 * minute + 5, '2m5s'],
  [10 * minute + 5, '10m'],
  [179 * minute, '179m'],
  [3 * hour, '3h'],
  [3 * hour + 7 * minute, '3h7m'],
  [47 * hour, '47h'],
  [48 * hour, '2d'],
  [50 * hour, '2d2h'],
  [8 * day + 3 * hour, '8d'],
  [729 * day, '729d'],
  [730 * day, '2y'],
  [731 * day, '2y1d'],
  [8 * 365 * day + 3 * day, '8y'],
])('The age of an object of %d seconds is %s', (seconds, text) => {
  expect(ageOf(new Date(now.getTime() - seconds * 1000).toISOString(), now)).toBe(text)
})

test('The age of an object without a creationTimestamp is unknown', () => {
  expect(ageOf(undefined, now)).toBe('<unknown>')
})

test.each([
  [{ type: 'LoadBalancer' }, {}, '<pending>'],
  [
    { type: 'LoadBalancer' },
    { ingress: [{ hostname: 'b.example' }, { ip: '1.2.3.4' }] },
    '1.2.3.4,b.example',
  ],
  [{ type: 'LoadBalancer', externalIPs: ['9.9.9.9'] }, { ingress: [{ ip: '1.2.3.4' }] }, '1.2.3.4,9.9.9.9'],
  [{ type: 'ClusterIP' }, {}, '<none>'],
  [{ type: 'ExternalName', externalName: 'a.example' }, {}, 'a.example'],
])('A Service with %j and load balancer %j has the external address %s', (spec, loadBalancer, text) => {
  expect(cell(service, 'External-IP', { spec, status: { loadBalancer } })).toBe(text)
})

test('A Service shows node ports behind its ports', () => {
  const ports = [
    { port: 80, nodePort: 30080, protocol: 'TCP' },
    { port: 53, protocol: 'UDP' },
  ]
  expect(cell(service, 'Port(s)', { spec: { ports } })).toBe('80:30080/TCP,53/UDP')
})

test('An Ingress shows three hosts and counts the others', () => {
  const rules = ['a', 'b', 'c', 'd', 'e'].map((host) => ({ host }))
  expect(cell(ingress, 'Hosts', { spec: { rules } })).toBe('a,b,c + 2 more...')
})

test('An Ingress without hosts shows *', () => {
  expect(cell(ingress, 'Hosts', { spec: { rules: [{}] } })).toBe('*')
})

test('An Ingress with TLS shows 443 too', () => {
  expect(cell(ingress, 'Ports', { spec: { tls: [{}] } })).toBe('80, 443')
})

const spec = { containers: [{ name: 'a' }, { name: 'b' }], initContainers: [{ name: 'i' }] }
const running = { ready: true, restartCount: 0, state: { running: {} } }
const failed = { terminated: { exitCode: 1, finishedAt: '2026-01-01T11:59:00Z' } }
const crashing = {
  ready: false,
  restartCount: 4,
  state: { waiting: { reason: 'CrashLoopBackOff' } },
  lastState: failed,
}

test.each([
  ['has not started', { phase: 'Pending' }, {}, ['0/2', 'Pending', '0']],
  [
    'crashes',
    {
      phase: 'Running',
      containerStatuses: [
        { name: 'a', ...running },
        { name: 'b', ...crashing },
      ],
    },
    {},
    ['1/2', 'CrashLoopBackOff', '4 (60s ago)'],
  ],
  [
    'is being deleted',
    { phase: 'Running', containerStatuses: [{ name: 'a', ...running }] },
    { deletionTimestamp: '2026-01-01T12:00:00Z' },
    ['1/2', 'Terminating', '0'],
  ],
  [
    'runs an init container',
    { phase: 'Pending', initContainerStatuses: [{ name: 'i', restartCount: 0, state: { running: {} } }] },
    {},
    ['0/2', 'Init:0/1', '0'],
  ],
  [
    'failed',
    {
      phase: 'Failed',
      containerStatuses: [{ name: 'a', restartCount: 0, state: { terminated: { exitCode: 3 } } }],
    },
    {},
    ['0/2', 'ExitCode:3', '0'],
  ],
  [
    'lost its node',
    { phase: 'Running', reason: 'NodeLost' },
    { deletionTimestamp: 'x' },
    ['0/2', 'Unknown', '0'],
  ],
])('A Pod that %s shows it as its status', (_, status, metadata, cells) => {
  const object = { metadata, spec, status }
  expect(['Ready', 'Status', 'Restarts'].map((name) => cell(pod, name, object))).toEqual(cells)
})

test('A Node that is cordoned shows it beside its readiness', () => {
  const status = { conditions: [{ type: 'Ready', status: 'True' }] }
  expect(cell(node, 'Status', { spec: { unschedulable: true }, status })).toBe('Ready,SchedulingDisabled')
})

test('A Node has its roles by its labels', () => {
  const labels = { 'node-role.kubernetes.io/worker': '', 'node-role.kubernetes.io/infra': '' }
  expect(cell(node, 'Roles', { metadata: { labels } })).toBe('infra,worker')
})

function cell({ columns, kind }: Kind, name: string, fields: object): unknown {
  const object = {
    apiVersion: 'v1',
    kind,
    metadata: { name: 'x' },
    spec: {},
    status: {},
    ...fields,
  } as AnyObject
  return columns.find((column) => column.name === name)?.cell(object, now)
}
