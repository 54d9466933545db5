import { expect, test } from 'vitest'
import { portcullis } from '../../portcullis.ts'
import { capturedIO } from '../../testing/captured-io.ts'
import { complete } from './complete.ts'

const lookups: object[] = []

async function completed(...words: string[]) {
  const { candidates, files } = await complete(portcullis(capturedIO().io), words, async (what, given) => {
    lookups.push({ what, given })
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
])('The completion of %j is %j', async (words, values) => {
  expect((await completed(...words)).values).toEqual(values)
})

test('A hidden command is not offered', async () => {
  expect((await completed('')).values).not.toContain('__complete')
})

test('File names are offered where an option or an argument is a file', async () => {
  expect(await completed('plan', '-f', '')).toEqual({ values: [], files: true })
  expect(await completed('install-config', 'validate', '')).toMatchObject({ files: true })
})

test('Names come from the cluster that the command line names', async () => {
  lookups.length = 0
  await completed('--context', 'a', 'status', '-n', 'b', '--kubeconfig=c', '')
  expect(lookups).toEqual([{ what: 'controller', given: { context: 'a', namespace: 'b', kubeconfig: 'c' } }])
})
