import { painted } from '@portcullis/cli/internal/io/colours.ts'
import { run as runCommand } from '@portcullis/cli/internal/testing/captured-io.ts'
import { startHttpServer } from '@portcullis/kube/testing'
import { aKubeconfig, it } from '@portcullis/kube/testing/kube-home'
import { IngressController } from '@portcullis/operator'
import { expect, onTestFinished } from 'vitest'
import { run as runProgram } from '../clusters/run-command.ts'
import { Cluster } from '../e2e/cluster.ts'
import { sharedTestCluster } from '../e2e/test-cluster.ts'

/** Clears the screen, sets the title, hides what follows, goes back in the line, turns the direction, draws a line of its own. */
const hostile = 'x\u001b[2J\u001b]0;owned\u0007\u001b[8m\r\u202e\u009b31m\nowned   fine'
const controlChars = /[^\P{Cc}\n\t]|[\u2028\u2029\u202e]/u

const withoutColours = (text: string) =>
  text
    .split(painted)
    .filter((_, at) => at % 2 === 0)
    .join('')

const testCluster = sharedTestCluster()

it('Hostile text of a controller is printed without being interpreted', { timeout: 60_000 }, async () => {
  const cluster = new Cluster(testCluster()).on('AWS')
  onTestFinished(() => cluster.close())
  await cluster.prepare()
  const { client, settings } = cluster
  const { ref, name } = cluster.router('edge')
  await client.create(IngressController, {
    metadata: { ...ref, annotations: { note: hostile } },
    spec: {
      domain: 'edge.example',
      replicas: 0,
      endpointPublishingStrategy: { type: 'LoadBalancerService' },
    },
  })
  const lastTransitionTime = '2030-01-01T00:00:00Z'
  const condition = { reason: hostile, message: hostile, lastTransitionTime }
  const status = {
    domain: hostile,
    selector: hostile,
    observedGeneration: 1,
    availableReplicas: 0,
    conditions: [
      { ...condition, type: 'Available', status: 'False' },
      { ...condition, type: 'Progressing', status: 'True', reason: 'ScopeChanged' },
      { ...condition, type: 'LoadBalancerProgressing', status: 'True', reason: 'ScopeChanged' },
      { ...condition, type: 'Admitted', status: 'False' },
      { ...condition, type: 'Published', status: 'True' },
    ],
  }
  await client.patch(
    IngressController,
    ref,
    { type: 'merge', body: { status } },
    { subresource: 'status', fieldManager: 'somebody' },
  )
  const file = JSON.stringify({
    apiVersion: 'operator.openshift.io/v1',
    kind: 'IngressController',
    metadata: { name, labels: { [hostile]: hostile } },
    spec: { domain: hostile, [hostile]: hostile },
  })
  for (const args of [
    ['status'],
    ['status', '-o', 'wide'],
    ['status', '-o', 'json'],
    ['status', '-o', 'yaml'],
    ['status', '-o', 'name'],
    ['plan', name, '--scope', 'Internal'],
    ['plan', name, '--scope', 'Internal', '-o', 'wide'],
    ['plan', name, '--scope', 'Internal', '-o', 'yaml'],
    ['plan', '-f', '-'],
    ['scope', name, 'Internal', '--yes', '--timeout', '1s'],
  ]) {
    const options = { client, input: file, isTerminal: true, colours: true }
    const { stdout, stderr } = await runCommand([...args, '-n', settings.operatorNamespace], options)
    const output = `${stdout}\n${stderr}`
    expect(withoutColours(output), args.join(' ')).not.toMatch(controlChars)
    expect(output, args.join(' ')).not.toMatch(/^owned/m)
    if (args[0] === 'status' && args[2] !== 'name') expect(output).toMatch(/\\(u001b|e)\[2J/)
  }
})

it('Hostile text of an API server is printed without being interpreted', { timeout: 60_000 }, async ({
  home,
}) => {
  const server = await startHttpServer((_, response) => {
    response.writeHead(403, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ kind: 'Status', status: 'Failure', reason: hostile, message: hostile }))
  })
  onTestFinished(() => server.close())
  const cluster = { server: server.url.href }
  const kubeconfig = await home.write('config', aKubeconfig({ cluster, user: { token: 'x' } }))
  for (const args of [['status'], ['preflight', '--control-plane', '127.0.0.2']]) {
    const command = ['--import', 'tsx', 'packages/cli/src/main.ts', ...args, `--kubeconfig=${kubeconfig}`]
    const { stdout, stderr, code } = await runProgram(process.execPath, command)
    expect(code).not.toBe(0)
    expect(stderr).toContain(String.raw`\u001b[2J`)
    expect(stdout + stderr).not.toMatch(controlChars)
    expect(stdout + stderr).not.toMatch(/^owned/m)
  }
})
