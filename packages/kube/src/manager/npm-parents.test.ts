import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test, vi } from 'vitest'
import { VirtualClock } from '../testing/virtual-clock.ts'
import {
  meansEnded,
  npmParentsOf,
  onNpmParentsExit,
  type ProcessEntry,
  type ProcessTable,
  systemProcesses,
} from './npm-parents.ts'

const byNpm = { pid: 10, platform: 'linux', env: { npm_execpath: '/npm-cli.js' } } as const

type Rows = Record<number, Partial<ProcessEntry>>

/** In one process group, at one terminal, where nothing else is said. */
function tableOf(rows: Rows): ProcessTable {
  const usual = { parent: 1, command: 'node', group: 5, stdin: '/dev/pts/0' }
  return { find: (pid) => rows[pid] && { ...usual, ...rows[pid] }, isAlive: (pid) => pid in rows }
}

test.each<[string, Rows, number[]]>([
  ['npm itself', { 9: { parent: 1, command: 'npm start' } }, [9]],
  ['a shell of npm', { 9: { parent: 8, command: 'sh' }, 8: { parent: 5, command: 'npm exec' } }, [9, 8]],
  [
    'a shell, by its path',
    { 9: { parent: 8, command: '/bin/bash' }, 8: { parent: 5, command: 'npm' } },
    [9, 8],
  ],
  ['a shell whose npm has ended', { 9: { parent: 1, command: 'dash' } }, [9]],
  ['a process that is gone', {}, []],
])('A process that npm started belongs to %s', (_, processes, parents) => {
  expect(npmParentsOf({ ...byNpm, ppid: 9 }, tableOf(processes))).toEqual(parents)
})

test('A process that npm did not start, or that runs on Windows, has no npm parents', () => {
  const table = tableOf({ 9: { parent: 1, command: 'bash' } })
  expect(npmParentsOf({ ...byNpm, env: {}, ppid: 9 }, table)).toEqual([])
  expect(npmParentsOf({ ...byNpm, platform: 'win32', ppid: 9 }, table)).toEqual([])
})

const shellOfNpm = { 9: { parent: 8, command: 'sh' }, 8: { command: 'npm run up' } }

test.each<[string, Rows, Record<string, string>]>([
  [
    'in a session or a job of its own (`setsid`, a shell that a person types into)',
    { 10: { group: 10 } },
    {},
  ],
  ['in the background of a shell that has no job control', { 10: { stdin: '/dev/null' } }, {}],
  [
    'in a subshell that is in the background',
    { 10: { parent: 9, stdin: '/dev/null' }, 9: { parent: 8, command: 'sh', stdin: '/dev/null' } },
    {},
  ],
  ['by a script that says nohup', { 10: {} }, { npm_lifecycle_script: 'nohup portcullis sandbox & sleep 5' }],
])('A process that was put %s has no npm parents, though npm is above it', (_, rows, env) => {
  const info = { ...byNpm, ppid: 9, env: { ...byNpm.env, ...env } }
  expect(npmParentsOf(info, tableOf({ ...shellOfNpm, ...rows }))).toEqual([])
})

test.each<[string, Rows, Record<string, string>]>([
  ['reads another file', { 10: { stdin: 'pipe:[47]' } }, {}],
  [
    'reads /dev/null as npm does',
    { 10: { stdin: '/dev/null' }, 9: { ...shellOfNpm[9], stdin: '/dev/null' }, 8: { stdin: '/dev/null' } },
    {},
  ],
  [
    'reads nobody knows what',
    { 10: { stdin: undefined }, 9: { ...shellOfNpm[9], stdin: undefined }, 8: { stdin: undefined } },
    {},
  ],
  ['has nohup in the name of a file', { 10: {} }, { npm_lifecycle_script: 'portcullis sandbox > nohup.out' }],
  ['is not found itself', {}, {}],
])('A process in the foreground that %s belongs to npm and its shell', (_, rows, env) => {
  const info = { ...byNpm, ppid: 9, env: { ...byNpm.env, ...env } }
  expect(npmParentsOf(info, tableOf({ ...shellOfNpm, ...rows }))).toEqual([9, 8])
})

test('The end of a shell is noticed by the new parent of the process', async () => {
  const clock = new VirtualClock()
  const info = { ...byNpm, ppid: 9 }
  const table = { ...tableOf({ 9: { command: 'npm' } }), isAlive: () => true }
  let calls = 0
  onNpmParentsExit(info, { clock, table }, () => {
    calls += 1
  })
  await clock.advance(5000)
  expect(calls).toBe(0)
  info.ppid = 1
  await clock.advance(5000)
  expect(calls).toBe(1)
})

test('A real process is found with its parent while it lives, and not once it has ended', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  const pid = child.pid ?? 0
  expect(systemProcesses.find(pid)?.parent).toBe(process.pid)
  expect(systemProcesses.find(pid)?.group).toBe(systemProcesses.find(process.pid)?.group)
  expect(systemProcesses.isAlive(pid)).toBe(true)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(systemProcesses.find(pid)).toBeUndefined()
  expect(systemProcesses.isAlive(pid)).toBe(false)
})

const proc = process.platform === 'linux'

test.runIf(proc)(
  'A real process that a shell has put in the background reads /dev/null, and the shell does not',
  async () => {
    const child = spawn('sh', ['-c', 'sleep 60 & echo $!; wait'], { stdio: ['pipe', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const sleeping = Number(String(line))
    onTestFinished(() => void process.kill(sleeping, 'SIGKILL'))
    expect(systemProcesses.find(child.pid ?? 0)?.stdin).toMatch(/^(socket|pipe):/)
    await vi.waitFor(() => expect(systemProcesses.find(sleeping)?.stdin).toBe('/dev/null'))
  },
)

test.each(['ENOENT', 'ESRCH'])('A process whose lookup fails with %s has ended', (code) => {
  expect(meansEnded(Object.assign(new Error(code), { code }))).toBe(true)
})

test.each(['EMFILE', 'ENFILE', 'ENOMEM', 'EACCES', 'EPERM'])(
  'A process whose lookup fails with %s has not ended: it could not be looked at',
  (code) => {
    expect(meansEnded(Object.assign(new Error(code), { code }))).toBe(false)
  },
)
