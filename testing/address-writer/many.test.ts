import { setTimeout as pause } from 'node:timers/promises'
import { Namespace } from '@portcullis/kube'
import { expect, test } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { sharedControlPlane } from '../clusters/shared-control-plane.ts'
import { adminAccess } from '../clusters/test-client.ts'
import { at, aWriter } from './running-writer.ts'

const count = 10_000

test('Ten thousand Ingresses get two addresses one after the other in two writes each, none of them blank, while other clients are served', async () => {
  const { client, book, versions } = await aWriter(count, await adminAccess(sharedControlPlane()))
  const countWith = (ip: string) => [...versions.values()].filter((each) => each.at(-1) === ip).length
  for (const ip of ['10.0.0.1', '10.0.0.2']) {
    book.set('default', at(ip))
    await eventually(() => expect(countWith(ip)).toBeGreaterThan(0), 60_000)
    await client.list(Namespace)
    expect(countWith(ip), 'writes that went before').toBeLessThan(count / 2)
    await eventually(async () => {
      await pause(1000) // To count so many all the time would take more than to write them.
      expect(countWith(ip)).toBe(count)
    }, 240_000)
  }
  for (const addresses of versions.values()) expect(addresses).toEqual(['', '10.0.0.1', '10.0.0.2'])
}, 600_000)
