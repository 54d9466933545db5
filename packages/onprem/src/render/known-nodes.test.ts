import { expect, test } from 'vitest'
import { formatIp } from '../ip.ts'
import { knownNodes } from './known-nodes.ts'

const node = (name: string, label: string, ...addresses: string[]) => ({
  metadata: { name, labels: { [`node-role.kubernetes.io/${label}`]: '' } },
  status: {
    addresses: [
      { type: 'Hostname', address: name },
      ...addresses.map((address) => ({ type: 'InternalIP', address })),
    ],
  },
})

test('The control plane and the workers differ by name and address', () => {
  const { controlPlane, workers, names } = knownNodes([
    node('b', 'master', '192.0.2.21'),
    node('w', 'worker', '192.0.2.30'),
    node('a', 'control-plane', '192.0.2.20', '2001:db8::20'),
    node('x', 'worker', 'unknown'),
  ])
  expect(controlPlane.map(formatIp)).toEqual(['192.0.2.20', '192.0.2.21'])
  expect(workers.map(formatIp)).toEqual(['192.0.2.30'])
  expect(names.map(({ name, ip }) => `${name} ${formatIp(ip)}`)).toEqual([
    'a 192.0.2.20',
    'a 2001:db8::20',
    'b 192.0.2.21',
    'w 192.0.2.30',
  ])
})
