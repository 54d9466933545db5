import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger, stopOnSignals, systemClock } from '@portcullis/kube'
import type { SandboxPlatform } from '@portcullis/sandbox'
import { Command, Option } from 'commander'
import { writeKubeconfig } from '../sandbox/kubeconfig-file.ts'
import { loadSandbox, sandboxPlatforms } from '../sandbox/load-sandbox.ts'
import { startSandboxOperator } from '../sandbox/sandbox-operator.ts'
import { play, shell } from './play.ts'
import { storiesOn } from './stories.ts'

/** 128 + SIGINT, as shells have it. */
const interrupted = 130

const surroundings = { clock: systemClock, random: Math.random, log: silentLogger }

/** `portcullis tour`: plays what there is to see on a sandbox, with real commands and what they really print. */
export function tourCommand(print: (text: string) => void): Command {
  return new Command('tour')
    .description('show what there is to see, on a sandbox of its own, with kubectl; nothing is left behind')
    .addOption(
      new Option('--platform <name>', 'the cloud to play, or BareMetal for none')
        .choices(sandboxPlatforms)
        .default('AWS'),
    )
    .addHelpText(
      'after',
      '\nExits with 0 if every story ended as it was told, with 130 if it was interrupted, else with 1.\n\nExample:\n  portcullis tour --platform Azure',
    )
    .action(({ platform }: { platform: SandboxPlatform }) => tour(platform, print))
}

async function tour(platform: SandboxPlatform, print: (text: string) => void): Promise<void> {
  const version = await shell(process.env)('kubectl version --client')
  if (!/Client Version/.test(version))
    throw new Error('The tour is played with kubectl, and there is none on the PATH; install it first.')
  const { stop, release } = stopOnSignals(process, silentLogger)
  try {
    await playAll(platform, print, stop)
  } finally {
    release()
  }
}

async function playAll(
  platform: SandboxPlatform,
  print: (text: string) => void,
  stop: AbortSignal,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'portcullis-tour-'))
  const { startSandbox } = await loadSandbox()
  const sandbox = await startSandbox({ platform, nodes: 3, port: 0, cloudDelayMs: 1000, ...surroundings })
  const operator = await startSandboxOperator(sandbox, platform, surroundings)
  try {
    await operator.isAvailable()
    const { server, ca, adminToken } = sandbox
    const { path } = await writeKubeconfig(join(directory, 'kubeconfig'), { server, ca, token: adminToken })
    const run = shell({ ...process.env, KUBECONFIG: path })
    print(`A cluster on ${platform}, in this process, and Portcullis in it.`)
    for (const story of storiesOn(platform)) await play(story, { print, run, signal: stop })
    print('Every story ended as it was told.')
  } catch (error) {
    if (!stop.aborted) throw error
    process.exitCode = interrupted
  } finally {
    await operator.close()
    await sandbox.close()
    await rm(directory, { recursive: true, force: true })
  }
}
