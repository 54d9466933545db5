import { exec } from 'node:child_process'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { expect, test, vi } from 'vitest'
import { sharedControlPlane } from '../clusters/shared-control-plane.ts'
import { SandboxProcess } from '../sandbox-process.ts'

const run = promisify(exec)

test('the three commands that it prints work as they are, and lead to a load balancer with an address', async () => {
  const sandbox = await SandboxProcess.start('--cloud-delay', '200ms')
  await vi.waitFor(() => expect(sandbox.output).toContain('Ctrl-C ends it'), { timeout: 20_000 })
  const commands = sandbox.output.split('\n').filter((line) => line.startsWith('  kubectl'))
  expect(commands).toHaveLength(3)
  const [getNodes = '', createService = '', watchService = ''] = commands
  const kubectl = dirname(sharedControlPlane().binaries.kubectl)
  const options = {
    cwd: sandbox.directory,
    env: { ...process.env, PATH: `${kubectl}:${process.env['PATH']}` },
  }

  expect((await run(getNodes, options)).stdout).toMatch(/worker-1 +Ready +worker/)
  expect((await run(createService, options)).stdout).toBe('service/web created\n')
  const watching = run(`timeout 5 ${watchService.trim()} || true`, options)
  expect((await watching).stdout).toMatch(
    /web +LoadBalancer +10\.96\.\S+ +\S+\.elb\.amazonaws\.com +80:\d+\/TCP/,
  )
  expect(sandbox.output).toContain('Service default/web: EnsuredLoadBalancer: Ensured load balancer')
})
