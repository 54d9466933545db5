import type { Manifest } from '@portcullis/operator'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { version } from '../package.json'
import { commandIO } from './io/command-io.ts'
import { portcullis } from './portcullis.ts'
import { run as runInWorld } from './testing/captured-io.ts'

/** Runs a command line to where commander would end the process; gives what it printed. */
async function run(...args: string[]): Promise<string> {
  const output: string[] = []
  const collect = (text: string) => void output.push(text)
  const command = portcullis(collect)
  for (const each of [command, ...command.commands]) {
    each.exitOverride().configureOutput({ writeOut: collect, writeErr: collect })
  }
  await command.parseAsync(args, { from: 'user' }).catch(() => {})
  return output.join('')
}

test('--version prints the version of the package', async () => {
  expect(await run('--version')).toBe(`${version}\n`)
})

test('--help says what it is and what there is', async () => {
  const help = await run('--help')
  expect(help).toMatch(/^Usage: portcullis \[options\] \[command\]\n\nPublishes Kubernetes ingress/)
  expect(help).toContain('sandbox [options]')
})

test('an unknown option is refused, and where to look is said', async () => {
  expect(await run('--scope')).toBe(
    "error: unknown option '--scope'\n(portcullis --help lists what there is)\n",
  )
})

test('a command that is nearly right is guessed', async () => {
  expect(await run('sandbx')).toContain("error: unknown command 'sandbx'\n(Did you mean sandbox?)")
})

test('the help of the sandbox has an example', async () => {
  expect(await run('sandbox', '--help')).toContain('portcullis sandbox --platform Azure')
})

test('a platform that is none is refused, and all that are named', async () => {
  expect(await run('sandbox', '--platform', 'Mars')).toContain(
    "error: option '--platform <name>' argument 'Mars' is invalid. Allowed choices are AWS, Azure, GCP, IBMCloud",
  )
})

test('the help of every command has an example', async () => {
  const commands = portcullis().commands.filter((command) => !command.name().startsWith('_'))
  const leaves = commands.flatMap((command) =>
    command.commands.length === 0
      ? [[command.name()]]
      : command.commands.map((each) => [command.name(), each.name()]),
  )
  expect(leaves.length).toBeGreaterThan(6)
  for (const words of leaves) {
    const { output } = await runInWorld([...words, '--help'])
    expect(output, words.join(' ')).toMatch(new RegExp(`\\nExamples?:\\n.*portcullis ${words.join(' ')}`))
  }
})

test('what is said of the cluster before a command reaches it, or is refused', async () => {
  const operator = await runInWorld(['-n', 'mine', 'operator', '--print-config'])
  expect(operator.output).toContain('operatorNamespace: "mine" # flag')
  const nearer = await runInWorld(['-n', 'a', 'operator', '--print-config', '--operator-namespace', 'b'])
  expect(nearer.output).toContain('operatorNamespace: "b" # flag')
  for (const args of [
    ['--kubeconfig', 'mine', 'sandbox'],
    ['--context', 'x', 'tour'],
  ]) {
    const refused = await runInWorld(args)
    expect(refused).toMatchObject({ code: 1 })
    expect(refused.told).toContain(`${args[0]} means nothing to "portcullis ${args[2]}"; leave it out.`)
  }
})

test('the cluster can be named before the command or behind it', async () => {
  const asked: object[] = []
  const world = {
    ...commandIO(process),
    connect: async (choice: object) => {
      asked.push(choice)
      throw new Error('nobody there')
    },
  }
  for (const args of [
    ['--context', 'a', 'status'],
    ['status', '--context', 'a'],
    ['--context', 'b', 'status', '--context', 'a'],
  ])
    await portcullis(() => {}, world)
      .parseAsync(args, { from: 'user' })
      .catch(() => {})
  expect(asked).toMatchObject([{ context: 'a' }, { context: 'a' }, { context: 'a' }])
})

test.each([
  [['--platform', 'Foo'], 'The platform "Foo" is not known'],
  [['--ingress-status-address', '1.2.3.4:80'], '1.2.3.4:80'],
  [['--image', ''], '--image is empty'],
  [['--operand-namespace', 'openshift-ingress-operator'], 'routers need a namespace of their own'],
  [['--no-leader-election'], 'leaderElection is given'],
  [['--health-host', '127.0.0.1'], 'Leave it out, or give "::" or "0.0.0.0".'],
  [['--health-port', '1'], 'healthPort is given'],
])('an installation that could not run is not printed: manifests %j', async (flags, problem) => {
  const { output, told, code } = await runInWorld(['manifests', ...flags])
  expect({ output, code }).toEqual({ output: '', code: 1 })
  expect(told).toContain(problem)
})

test('what is removed with the operator leaves behind what is published, and what that needs', async () => {
  const objectsOf = async (...flags: string[]) => {
    const { output } = await runInWorld([
      'manifests',
      '--domain',
      'apps.example.com',
      '--monitoring',
      ...flags,
    ])
    return parseAllDocuments(output).map((document) => {
      const { kind, metadata } = document.toJS() as Manifest
      return `${kind} ${metadata.name}`
    })
  }
  const removed = await objectsOf('--to-remove')
  expect(removed).toContain('Deployment portcullis')
  expect((await objectsOf()).filter((object) => !removed.includes(object))).toEqual([
    'CustomResourceDefinition ingresscontrollers.operator.openshift.io',
    'CustomResourceDefinition infrastructures.config.openshift.io',
    'Namespace openshift-ingress-operator',
    'Namespace openshift-ingress',
    'ServiceAccount router',
    'ClusterRole portcullis-router',
    'ClusterRoleBinding portcullis-router',
  ])
})
