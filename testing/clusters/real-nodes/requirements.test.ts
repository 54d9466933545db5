import { expect, test } from 'vitest'
import { hierarchies } from './end-bed.ts'
import { type Machine, whyNoRealNodes } from './requirements.ts'

const able: Machine = { platform: 'linux', uid: 0, cgroups: hierarchies, hasIpv6: true }

test('Root on Linux with the first version of cgroups can have real nodes', () => {
  expect(whyNoRealNodes(able)).toBeUndefined()
})

test.each([
  ['Another system', { ...able, platform: 'darwin' }, 'Real nodes need Linux; this is darwin.'],
  ['Another user', { ...able, uid: 1000 }, 'Real nodes need root, for namespaces, mounts and cgroups.'],
  [
    'The second version of cgroups',
    { ...able, cgroups: hierarchies.filter((name) => name !== 'cpuset' && name !== 'pids') },
    'Real nodes need the first version of cgroups at /sys/fs/cgroup; there is no cpuset, pids.',
  ],
  ['A kernel without IPv6', { ...able, hasIpv6: false }, 'Real nodes need IPv6 in the kernel.'],
] as const)('%s is named as the reason why there are no real nodes, in one line', (_, machine, reason) => {
  expect(whyNoRealNodes(machine)).toBe(reason)
})
