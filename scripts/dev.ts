// `npm run dev`: a sandbox, and the operator against it as a process of its own, which restarts whenever a file that it
// imports changes. Options are those of `portcullis operator`. Ctrl-C ends both.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { installPortcullis } from '@portcullis/cli/internal/sandbox/install-portcullis.ts'
import { writeKubeconfig } from '@portcullis/cli/internal/sandbox/kubeconfig-file.ts'
import { Client, createMetrics, silentLogger, stopOnSignals, systemClock } from '@portcullis/kube'
import { startSandbox } from '@portcullis/sandbox'

const platform = 'AWS'
const path = '.portcullis/dev-kubeconfig'
const parts = { clock: systemClock, random: Math.random, log: silentLogger }

const { stop, release } = stopOnSignals(process, silentLogger)
const sandbox = await startSandbox({ platform, nodes: 3, port: 0, cloudDelayMs: 2000, ...parts })
const { server, ca, adminToken: token, access } = sandbox
const kubeconfig = await writeKubeconfig(path, { server, ca, token })
try {
  const client = Client.connect({
    access,
    metrics: createMetrics('dev'),
    userAgent: 'portcullis-dev',
    ...parts,
  })
  await installPortcullis(client, platform, systemClock)
  await client.close()
  console.log(`A sandbox runs at ${server}. In another terminal:\n\nexport KUBECONFIG=$PWD/${path}\n`)
  const operator = spawn(
    'node_modules/.bin/tsx',
    [
      'watch',
      '--clear-screen=false',
      'packages/cli/src/main.ts',
      'operator',
      `--kubeconfig=${path}`,
      '--no-leader-election',
      ...process.argv.slice(2),
    ],
    { stdio: 'inherit' },
  )
  const ended = once(operator, 'exit')
  // Ctrl-C reaches the operator by itself; a signal that `kill` sent to this process alone does not.
  const forward = () => operator.kill('SIGTERM')
  const later = () => setTimeout(forward, 1000).unref()
  if (stop.aborted) later()
  else stop.addEventListener('abort', later)
  await ended
} finally {
  await sandbox.close()
  await kubeconfig.remove()
  release()
}
