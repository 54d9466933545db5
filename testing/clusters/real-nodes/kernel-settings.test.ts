import { expect, test } from 'vitest'
import { changedSettings } from './kernel-settings.ts'

test('Settings that are as they were are not reported', () => {
  const settings = { 'kernel/panic': '0', 'net/ipv4/ip_forward': '1' }
  expect(changedSettings(settings, { ...settings })).toEqual([])
})

test('A setting that has changed or is gone is reported with what it was', () => {
  const before = { 'kernel/panic': '0', 'net/ipv4/ip_forward': '1', 'vm/panic_on_oom': '0' }
  expect(changedSettings(before, { 'kernel/panic': '10', 'net/ipv4/ip_forward': '1' })).toEqual([
    'kernel/panic was 0, and is 10',
    'vm/panic_on_oom was 0, and is not there',
  ])
})

test('A setting that came with a module of the kernel is not reported', () => {
  expect(changedSettings({}, { 'net/netfilter/nf_conntrack_max': '65536' })).toEqual([])
})
