import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { capturedIO, run } from '../testing/captured-io.ts'
import { paint, painted } from './colours.ts'
import { inForm } from './output.ts'
import { forTerminal, logLinesTo, sanitized } from './terminal-output.ts'

const controlCharacters = /[^\P{Cc}\n\t]|[\u2028\u2029]|(?![\u200c\u200d])\p{Cf}/u
/** Any text, with many control characters. */
const texts = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      '\u001b',
      '[31m',
      '[2J',
      '\r',
      '\n',
      '\t',
      '\u009b',
      '\u202e',
      '\u200b',
      '"',
      '\\',
      ': ',
      '\u{e0041}',
    ),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
})

test('Text for a terminal contains no control characters', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(forTerminal(text, false)).not.toMatch(controlCharacters)
    }),
  )
})

test('With colours, the escape sequences of our own colours pass and no others', () => {
  const { red } = paint(true)
  expect(forTerminal(`${red('no')}\u001b[8mhidden`, true)).toBe(`${red('no')}\\u001b[8mhidden`)
  fc.assert(
    fc.property(texts, (text) => {
      const withoutColours = forTerminal(text, true)
        .split(painted)
        .filter((_, at) => at % 2 === 0)
        .join('')
      expect(withoutColours).not.toMatch(controlCharacters)
    }),
  )
})

test('JSON and YAML parse to the same data after they are escaped for a terminal', () => {
  fc.assert(
    fc.property(fc.dictionary(texts, fc.oneof(texts, fc.array(texts))), (data) => {
      const printed = { table: () => '', data, names: [] }
      const written = (form: 'json' | 'yaml') => forTerminal(inForm(form, printed, paint(false)), false)
      expect(JSON.parse(written('json'))).toEqual(data)
      expect({ ...(parse(`${written('yaml')}\n`) as object) }).toEqual({ ...data })
    }),
  )
})

test('Everything that a command prints is escaped for the terminal', async () => {
  const printed: string[] = []
  const record = (text: string) => void printed.push(text)
  const io = sanitized({
    ...capturedIO().io,
    print: record,
    printError: record,
    redraw: record,
    progress: { step: record, done: () => {}, clear: () => {} },
    ask: async (question) => {
      record(question)
      return ''
    },
  })
  io.print('a\u001b[2J')
  io.printError('b\u001b[2J')
  io.redraw('c\u001b[2J')
  io.progress.step('d\u001b[2J\n')
  await io.ask?.('e\u001b[2J', new AbortController().signal)
  expect(printed).toEqual(
    ['a', 'b', 'c', 'd', 'e'].map((each) => `${each}\\u001b[2J${each === 'd' ? '\\n' : ''}`),
  )
})

test('The log escapes control characters and stays valid JSON', () => {
  const written: string[] = []
  const log = pino({}, logLinesTo({ write: (text) => written.push(text) }))
  log.info({ name: 'a\u009b2J\u202eb' }, 'c\u001b[2J\u007f\nd')
  expect(written.join('')).not.toMatch(controlCharacters)
  expect(written.join('').split('\n')).toHaveLength(2)
  expect(JSON.parse(written.join(''))).toMatchObject({ name: 'a\u009b2J\u202eb', msg: 'c\u001b[2J\u007f\nd' })
})

test('A command that quotes a file with control characters escapes them', async () => {
  const printed: string[] = []
  const input = 'apiVersion: "\u001b]0;owned\u0007v1\u202e"\nplatform: {"baremetal\u001b[2J": {}}\n'
  const printing = async (...args: string[]) => {
    const { stdout, stderr } = await run(args, { input })
    printed.push(stdout, stderr)
  }
  await printing('plan', '-f', '-')
  const directory = await mkdtemp(join(tmpdir(), 'portcullis-terminal-'))
  await writeFile(`${directory}/install-config.yaml`, input)
  for (const form of ['text', 'json', 'github'])
    await printing('install-config', 'validate', '-o', form, `${directory}/install-config.yaml`)
  await rm(directory, { recursive: true })
  expect(printed.join('')).toContain('u001b')
  expect(printed.join('\n')).not.toMatch(controlCharacters)
})

test('Only the files listed here write to the terminal without terminal-output.ts', async () => {
  const files = (await readdir('packages', { recursive: true })).filter((file) =>
    /^\w+\/src\/(?!testing\/).*(?<!\.test)\.ts$/.test(file),
  )
  const writing = files.map(async (file) => {
    const text = await readFile(`packages/${file}`, 'utf8')
    return /\bconsole\.|\b(stdout|stderr|stream)\.write|\bstderr: process/.test(text) ? [file] : []
  })
  expect((await Promise.all(writing)).flat().sort()).toEqual([
    'cli/src/io/command-io.ts', // Texts from commands are sanitized before; it adds sequences that move the cursor.
    'cli/src/io/progress.ts', // The same.
    'cli/src/io/terminal-output.ts',
    'kube/src/config/environment.ts', // A credential plugin writes to the terminal itself.
  ])
})
