import type { Manifest } from '@portcullis/operator'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { version } from '../package.json'
import { portcullis } from './portcullis.ts'
import { capturedIO, run } from './testing/captured-io.ts'

test('`--version` prints the version of the package', async () => {
  expect(await run(['--version'])).toEqual({ stdout: version, stderr: '', code: 0 })
})

test('`--help` describes the program and lists its commands', async () => {
  const { stdout: help } = await run(['--help'])
  expect(help).toMatch(/^Usage: portcullis \[options\] \[command\]\n\nPublishes Kubernetes ingress/)
  expect(help).toContain('sandbox [options]')
})

test('The error about an unknown option refers to --help', async () => {
  const { stderr, code } = await run(['--scope'])
  expect(stderr).toBe("error: unknown option '--scope'\n(see portcullis --help)")
  expect(code).toBe(1)
})

test('The error about a misspelt command suggests the right one', async () => {
  expect((await run(['sandbx'])).stderr).toContain("error: unknown command 'sandbx'\n(Did you mean sandbox?)")
})

test('The help of `sandbox` has an example', async () => {
  expect((await run(['sandbox', '--help'])).stdout).toContain('portcullis sandbox --platform Azure')
})

test('The error about an unknown platform lists the known ones', async () => {
  expect((await run(['sandbox', '--platform', 'Mars'])).stderr).toContain(
    "error: option '--platform <name>' argument 'Mars' is invalid. Allowed choices are AWS, Azure, GCP, IBMCloud",
  )
})

test('The help of every command has an example', async () => {
  const commands = portcullis(capturedIO().io).commands.filter((command) => !command.name().startsWith('_'))
  const commandPaths = commands.flatMap((command) =>
    command.commands.length === 0
      ? [[command.name()]]
      : command.commands.map((each) => [command.name(), each.name()]),
  )
  expect(commandPaths.length).toBeGreaterThan(6)
  for (const words of commandPaths) {
    const { stdout } = await run([...words, '--help'])
    expect(stdout, words.join(' ')).toMatch(new RegExp(`\\nExamples?:\\n.*portcullis ${words.join(' ')}`))
  }
})

test('A cluster option before the command is passed to the command, or refused if the command has no such option', async () => {
  const operator = await run(['-n', 'mine', 'operator', '--print-config'])
  expect(operator.stdout).toContain('operatorNamespace: "mine" # flag')
  const both = await run(['-n', 'a', 'operator', '--print-config', '--operator-namespace', 'b'])
  expect(both.stdout).toContain('operatorNamespace: "b" # flag')
  for (const args of [
    ['--kubeconfig', 'mine', 'sandbox'],
    ['--context', 'x', 'tour'],
  ]) {
    const refused = await run(args)
    expect(refused).toMatchObject({ code: 1 })
    expect(refused.stderr).toContain(`"portcullis ${args[2]}" has no option ${args[0]}; leave it out.`)
  }
})

test('The cluster options can stand before the command or after it, and those after it take precedence', async () => {
  const choices: object[] = []
  const connect = async (choice: object) => {
    choices.push(choice)
    throw new Error('nobody there')
  }
  for (const args of [
    ['--context', 'a', 'status'],
    ['status', '--context', 'a'],
    ['--context', 'b', 'status', '--context', 'a'],
  ])
    await run(args, { connect })
  expect(choices).toMatchObject([{ context: 'a' }, { context: 'a' }, { context: 'a' }])
})

test.each([
  [['--platform', 'Foo'], 'Unknown platform "Foo"'],
  [['--ingress-status-address', '1.2.3.4:80'], '1.2.3.4:80'],
  [['--image', ''], '--image is empty'],
  [['--operand-namespace', 'openshift-ingress-operator'], 'the routers need a namespace of their own'],
  [['--no-leader-election'], 'leaderElection cannot be changed'],
  [['--health-host', '127.0.0.1'], 'Leave it out, or give "::" or "0.0.0.0".'],
  [['--health-port', '1'], 'healthPort cannot be changed'],
  [['--router-cpu-request', '0'], 'must be an amount of CPU such as 250m or 2'],
  [
    ['--router-memory-request', '3Gi'],
    'routerMemoryRequest is 3Gi, more than routerMemoryLimit, which is 2Gi; lower the request, or raise the limit.',
  ],
  [
    ['--router-memory-limit', '128Mi'],
    'routerMemoryRequest is 256Mi, more than routerMemoryLimit, which is 128Mi',
  ],
  [['--api-server-port', '0'], '--api-server-port is "0": it must be a number from 1 to 65535.'],
  [['--api-server-port', '443', '--api-server-port', '65536'], '--api-server-port is "65536"'],
  [['--api-server-port', '443,6443'], '--api-server-port is "443,6443"'],
])('`manifests` refuses settings with which the operator could not run: %j', async (flags, problem) => {
  const { stdout, stderr, code } = await run(['manifests', ...flags])
  expect({ stdout, code }).toEqual({ stdout: '', code: 1 })
  expect(stderr).toContain(problem)
})

test('`manifests --to-remove` leaves out the CRDs, the namespaces, and the account and role of the routers', async () => {
  const objectsOf = async (...flags: string[]) => {
    const { stdout } = await run(['manifests', '--domain', 'apps.example.com', '--monitoring', ...flags])
    return parseAllDocuments(stdout).map((document) => {
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
