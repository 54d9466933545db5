import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, type TestContext, test, vi } from 'vitest'
import { parse } from 'yaml'
import { run } from '../clusters/run-command.ts'

const patience = { timeout: 60_000 }

/** This project, but for what is built: so nothing that runs beside the tests is disturbed. */
let project: string

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'portcullis-npm-'))
  for (const name of ['package.json', 'package-lock.json', 'scripts', 'packages', 'tsconfig.json'])
    await symlink(resolve(name), join(project, name))
  await mkdir(join(project, 'node_modules/.bin'), { recursive: true })
  for (const name of await packages())
    await symlink(resolve('node_modules', name), join(project, 'node_modules', name))
  await symlink('../../dist/portcullis.js', join(project, 'node_modules/.bin/portcullis'))
  const built = await run('npm', ['run', 'build'], { cwd: project })
  expect(built.code, built.stderr).toBe(0)
}, 120_000)

afterAll(() => rm(project, { recursive: true }))

async function packages(): Promise<string[]> {
  const { dependencies, devDependencies } = JSON.parse(await readFile('package.json', 'utf8')) as Record<
    'dependencies' | 'devDependencies',
    object
  >
  const names = Object.keys({ ...dependencies, ...devDependencies })
  return [...new Set(names.map((name) => name.split('/')[0] ?? name))]
}

const options = ['--no-operator', '--nodes', '0']

/** npm, in a process group of its own, running a sandbox; and what of that sandbox can be seen from outside. */
async function startedByNpm(
  command: string,
  args: readonly string[],
  // Each of several tests that run at once has its own.
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
) {
  const directory = await mkdtemp(join(tmpdir(), 'portcullis-npm-run-'))
  const kubeconfig = join(directory, 'kubeconfig')
  const npm = spawn(command, [...args, ...options, '--kubeconfig', kubeconfig], {
    cwd: project,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  const group = npm.pid ?? 0
  onTestFinished(async () => {
    if ((await livingIn(group)).length > 0) process.kill(-group, 'SIGKILL')
    await rm(directory, { recursive: true })
  })
  await vi.waitFor(() => expect(output).toContain('press Ctrl-C to stop'), patience)
  const { clusters } = parse(await readFile(kubeconfig, 'utf8')) as {
    clusters: { cluster: { server: string } }[]
  }
  const port = Number(new URL(clusters[0]?.cluster.server ?? '').port)
  return { npm, group, kubeconfig, port }
}

async function leavesNothing({ npm, group, kubeconfig, port }: Awaited<ReturnType<typeof startedByNpm>>) {
  await ended(npm)
  await vi.waitFor(async () => expect(await livingIn(group)).toEqual([]), patience)
  await expect(readFile(kubeconfig)).rejects.toThrow('ENOENT')
  expect(await answers(port)).toBe(false)
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

async function livingIn(group: number): Promise<string[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pgid=,stat=,args='])
  return stdout.split('\n').filter((line) => {
    const [pgid, state] = line.trim().split(/\s+/)
    return Number(pgid) === group && !state?.startsWith('Z')
  })
}

function answers(port: number): Promise<boolean> {
  return new Promise((answer) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', () => answer(false))
    socket.once('connect', () => {
      socket.destroy()
      answer(true)
    })
  })
}

/**
 * npm puts a shell in between, to which alone it hands on a SIGINT. Shells wait for what they run then: nothing ends at all,
 * npm neither, whatever it runs. So Ctrl-C is tried as terminals send it.
 */
const ways = [
  ['npm start', 'npm', ['start', '--'], ['SIGTERM', 'SIGHUP', 'SIGKILL']],
  ['npx portcullis sandbox', 'npx', ['portcullis', 'sandbox'], ['SIGTERM', 'SIGHUP', 'SIGKILL']],
] as const

for (const [title, command, args, signals] of ways) {
  test.concurrent.for(signals)(
    `A %s to npm ends \`${title}\` and leaves no process, no port and no kubeconfig`,
    patience,
    async (signal, context) => {
      const started = await startedByNpm(command, args, context)
      started.npm.kill(signal)
      await leavesNothing(started)
    },
  )

  test.concurrent(
    `Ctrl-C, which reaches every process of a terminal, ends \`${title}\` gracefully`,
    patience,
    async (context) => {
      const started = await startedByNpm(command, args, context)
      process.kill(-started.group, 'SIGINT')
      await leavesNothing(started)
    },
  )
}

/** npm running a script that leaves a sandbox behind as soon as it is up, for what comes after. */
async function leftByAScript(prefix: string) {
  const directory = await mkdtemp(join(tmpdir(), 'portcullis-npm-run-'))
  const sandbox = `${prefix} portcullis sandbox ${options.join(' ')} --kubeconfig ${directory}/kubeconfig`
  const isUp = `grep -q 'press Ctrl-C to stop' ${directory}/log`
  const script = `${sandbox} >${directory}/log 2>&1 & echo $! >${directory}/pid; until ${isUp}; do sleep 0.1; done`
  const npm = spawn('npx', ['-c', script], { cwd: project, stdio: ['pipe', 'ignore', 'ignore'] })
  const pidOf = async () => Number(await readFile(join(directory, 'pid'), 'utf8'))
  onTestFinished(async () => {
    npm.kill('SIGKILL')
    const pid = await pidOf()
    if (await isRunning(pid)) process.kill(pid, 'SIGKILL')
    await rm(directory, { recursive: true })
  })
  await ended(npm)
  return pidOf()
}

async function isRunning(pid: number): Promise<boolean> {
  const { stdout } = await run('ps', ['-o', 'stat=', '-p', String(pid)])
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z')
}

test.each(['nohup', 'setsid', ''])(
  'A sandbox that a script puts in the background by `%s &` outlives npm, and ends on a signal',
  patience,
  async (prefix) => {
    const pid = await leftByAScript(prefix)
    const endsWithin = (timeout: number) =>
      vi
        .waitFor(async () => expect(await isRunning(pid)).toBe(false), { timeout, interval: 100 })
        .then(() => true)
        .catch(() => false)
    expect(await endsWithin(3_000)).toBe(false)
    process.kill(pid, 'SIGTERM')
    expect(await endsWithin(30_000)).toBe(true)
  },
)
