import { expect, test } from 'vitest'
import { portcullis } from '../../portcullis.ts'
import { capturedIO } from '../../testing/captured-io.ts'
import { complete } from './complete.ts'

const asked: object[] = []

async function completed(...words: string[]) {
  const { candidates, files } = await complete(portcullis(capturedIO().io), words, async (what, given) => {
    asked.push({ what, given })
    return what === 'controller' ? ['default', 'private'] : []
  })
  return { values: candidates.map(({ value }) => value), files }
}

test.each([
  [['st'], ['status']],
  [['plan', 'de'], ['default']],
  [['plan', 'default', '--sc'], ['--scope']],
  [
    ['plan', 'default', '--scope', ''],
    ['Internal', 'External'],
  ],
  [['plan', 'default', '--scope=In'], ['--scope=Internal']],
  [['plan', 'default', '--scope', '=', 'In'], ['Internal']],
  [['scope', 'default', 'E'], ['External']],
  [['scope', 'default', 'External', ''], []],
  [
    ['status', 'default', ''],
    ['default', 'private'],
  ],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish'],
  ],
  [['-n', 'elsewhere', 'sta'], ['status']],
  [['plan', '--config', 'plan', 'p'], ['private']],
  [
    ['install-config', ''],
    ['validate', 'infrastructure', 'help'],
  ],
  [['nonsense', ''], []],
])('%j leads on to %j', async (words, values) => {
  expect((await completed(...words)).values).toEqual(values)
})

test('what is hidden is not offered', async () => {
  expect((await completed('')).values).not.toContain('__complete')
})

test('files are offered where an option takes one', async () => {
  expect(await completed('plan', '-f', '')).toEqual({ values: [], files: true })
  expect(await completed('install-config', 'validate', '')).toMatchObject({ files: true })
})

test('live names are asked of the cluster that stands on the line', async () => {
  asked.length = 0
  await completed('--context', 'a', 'status', '-n', 'b', '--kubeconfig=c', '')
  expect(asked).toEqual([{ what: 'controller', given: { context: 'a', namespace: 'b', kubeconfig: 'c' } }])
})
