import { expect, test } from 'vitest'
import type { Step } from './random-steps.ts'
import { reduced } from './reduce.ts'

const at = { kind: 0, name: 'a' }
const create = (object: object): Step => ({ do: 'create', at, object, query: 'dryRun=All' })
const get: Step = { do: 'get', at, subresource: '', accept: 'application/json' }

test('A sequence is reduced to the steps, and the parts of steps, that show a difference', async () => {
  const steps = [get, create({ data: { a: '1', b: '2' }, metadata: {} }), get, create({}), get, get]
  const differs = async (tried: readonly Step[]) =>
    tried.some((step) => step.do === 'create' && JSON.stringify(step.object).includes('"b"')) &&
    tried.some((step) => step.do === 'get')
  const [first, second, ...rest] = await reduced(steps, differs, 10_000)
  expect(rest).toEqual([])
  expect([first, second]).toContainEqual({ do: 'create', at, object: { data: { b: '2' } }, query: '' })
  expect([first, second]).toContainEqual(get)
})

test('A difference that does not show again leaves a sequence as it is', async () => {
  const steps = [get, create({}), get]
  expect(await reduced(steps, async () => false, 10_000)).toBe(steps)
})

test('Reducing ends after a bounded number of attempts', async () => {
  const steps = Array.from({ length: 40 }, () => get)
  expect(await reduced(steps, async () => true, -1)).toBe(steps)
})
