import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger } from '@portcullis/kube'
import type { SandboxPlatform } from '@portcullis/sandbox'
import { Command, Option } from 'commander'
import type { CommandIO } from '../../io/command-io.ts'
import { writeKubeconfig } from '../../sandbox/kubeconfig-file.ts'
import { loadSandbox, sandboxPlatforms } from '../../sandbox/load-sandbox.ts'
import { startSandboxOperator } from '../../sandbox/sandbox-operator.ts'
import { storiesOn } from '../../sandbox/stories.ts'
import { play, shell } from './play.ts'

/** 128 + SIGINT, as in shells. */
const interrupted = 130

/** `portcullis tour`: demonstrates Portcullis on a sandbox, with real commands and their real output. */
export function tourCommand(io: CommandIO): Command {
  return new Command('tour')
    .description('demonstrate Portcullis with kubectl, on a sandbox of its own that is removed afterwards')
    .addOption(
      new Option('--platform <name>', 'the cloud to simulate, or BareMetal for none')
        .choices(sandboxPlatforms)
        .default('AWS'),
    )
    .addHelpText(
      'after',
      '\nExit code: 0 if every step shows what it should, 130 if interrupted, otherwise 1.\n\nExample:\n  portcullis tour --platform Azure',
    )
    .action(({ platform }: { platform: SandboxPlatform }) => tour(platform, io))
}

async function tour(platform: SandboxPlatform, io: CommandIO): Promise<void> {
  const version = await shell(io)('kubectl version --client')
  if (!/Client Version/.test(version))
    throw new Error('The tour needs kubectl, and there is none on the PATH; install it first.')
  const { stop, release } = io.untilInterrupted()
  try {
    await playAll(platform, io, stop)
  } finally {
    release()
  }
}

async function playAll(platform: SandboxPlatform, io: CommandIO, stop: AbortSignal): Promise<void> {
  const parts = { clock: io.clock, random: io.random, log: silentLogger }
  const { startSandbox } = await loadSandbox()
  const sandbox = await startSandbox({ platform, nodes: 3, port: 0, cloudDelayMs: 1000, ...parts })
  const operator = await startSandboxOperator(sandbox, platform, parts)
  const directory = await mkdtemp(join(tmpdir(), 'portcullis-tour-'))
  try {
    await operator.isAvailable()
    const { server, ca, adminToken } = sandbox
    const { path } = await writeKubeconfig(join(directory, 'kubeconfig'), { server, ca, token: adminToken })
    const run = shell({ ...io, env: { ...io.env, KUBECONFIG: path } })
    io.print(`A cluster on ${platform} runs in this process, with Portcullis in it.`)
    for (const story of storiesOn(platform)) await play(story, { io, run, signal: stop })
    io.print('Every step shows what it should.')
  } catch (error) {
    if (!stop.aborted) throw error
    io.exitWith(interrupted)
  } finally {
    await operator.close()
    await sandbox.close()
    await rm(directory, { recursive: true, force: true })
  }
}
