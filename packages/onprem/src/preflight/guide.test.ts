import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { remedies } from './remedies.ts'

test('Every finding is in the guide, with what it means', () => {
  const guide = readFileSync(
    new URL('../../../../docs/bring-your-own-load-balancer.md', import.meta.url),
    'utf8',
  )
  const documented = [...guide.matchAll(/^\| `([a-z-]+)` \| (.+) \|$/gm)].map(([, id, means]) => [id, means])
  expect(Object.fromEntries(documented)).toEqual(
    Object.fromEntries(Object.entries(remedies).map(([id, { means }]) => [id, means])),
  )
})
