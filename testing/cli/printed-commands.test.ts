import { exec } from 'node:child_process'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { SandboxProcess } from '@portcullis/cli/internal/testing/sandbox-process.ts'
import { expect, test, vi } from 'vitest'
import { sharedControlPlane } from '../clusters/shared-control-plane.ts'

const run = promisify(exec)

/** Starts a sandbox and gives the commands that it prints, and a shell in which they can be typed. */
async function printedCommands(...args: string[]) {
  const sandbox = await SandboxProcess.start('--cloud-delay', '200ms', ...args)
  await vi.waitFor(() => expect(sandbox.output).toContain('press Ctrl-C to stop'), { timeout: 20_000 })
  const lines = sandbox.output.split('\n')
  const commands = lines.filter((line) => line.startsWith('kubectl'))
  const preparation = lines.find((line) => line.startsWith('export KUBECONFIG=')) ?? ''
  const kubectl = dirname(sharedControlPlane().binaries.kubectl)
  const options = {
    cwd: sandbox.directory,
    env: { ...process.env, PATH: `${kubectl}:${process.env['PATH']}` },
  }
  const type = async (command: string) => (await run(`${preparation}; ${command}`, options)).stdout
  return { sandbox, commands, type }
}

test('The commands that the sandbox prints show a scope change that waits for the user', async () => {
  const { commands, type } = await printedCommands()
  const containing = (text: string) => commands.find((command) => command.includes(text)) ?? ''
  const [get, patch] = [containing('get ingresscontrollers'), containing('patch ingresscontroller default')]
  await vi.waitFor(
    async () => expect(await type(get)).toMatch(/default +LoadBalancerService +External +\S+\.elb\./),
    {
      timeout: 20_000,
      interval: 300,
    },
  )
  expect(await type(patch)).toBe('ingresscontroller.operator.openshift.io/default patched\n')
  const message = containing('"Progressing"')
  await vi.waitFor(async () => expect(await type(message)).toContain('you must delete the service'), {
    timeout: 20_000,
    interval: 300,
  })
})

test('The commands that the sandbox prints without the operator lead to a load balancer with an address', async () => {
  const { sandbox, commands, type } = await printedCommands('--no-operator')
  const [getNodes = '', createService = '', watchService = ''] = commands
  expect(await type(getNodes)).toMatch(/worker-1 +Ready +worker/)
  expect(await type(createService)).toBe('service/web created\n')
  expect(await type(`timeout 5 ${watchService.trim()} || true`)).toMatch(
    /web +LoadBalancer +10\.96\.\S+ +\S+\.elb\.amazonaws\.com +80:\d+\/TCP/,
  )
  expect(sandbox.output).toContain('Service default/web: EnsuredLoadBalancer: Ensured load balancer')
})
