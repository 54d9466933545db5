import { operatorReasons } from '@portcullis/operator'
import { expect, test } from 'vitest'
import { run } from '../../testing/captured-io.ts'

test('`explain` prints where a reason appears, its meaning, its cause and the remedy', async () => {
  const { stdout, code } = await run(['explain', 'scopechanged'])
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /^ScopeChanged\n {2}where .*Progressing\n {2}meaning .*\n {2}cause .*\n {2}remedy .*Delete the Service/,
  )
})

test('The error about a misspelt reason suggests the right one', async () => {
  const { stderr, code } = await run(['explain', 'PortConflct'])
  expect(stderr).toContain('Unknown reason "PortConflct". Did you mean PortConflict?')
  expect(code).toBe(1)
})

test('`explain` without a reason lists all reasons', async () => {
  expect((await run(['explain', '-o', 'name'])).stdout.split('\n')).toEqual(
    Object.keys(operatorReasons).sort(),
  )
  expect((await run(['explain'])).stdout.split('\n')[0]).toMatch(/^REASON +WHERE +MEANING$/)
  expect(JSON.parse((await run(['explain', '-o', 'json'])).stdout)).toEqual(operatorReasons)
})
