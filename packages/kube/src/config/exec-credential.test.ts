import { expect } from 'vitest'
import { certificateAuthority } from '../certificates.ts'
import { it, type KubeHome } from '../testing/kube-home.ts'
import type { Credentials } from './access.ts'

const apiVersion = 'client.authentication.k8s.io/v1'

/** The plugin notes that it ran, waits for a file to appear where its arguments name one, and prints what is in `answer`. */
const plugin = `
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
const { RUNS, ANSWER, GATE } = process.env
appendFileSync(RUNS, process.pid + '\\n')
while (GATE && !existsSync(GATE)) await new Promise((resolve) => setTimeout(resolve, 5))
process.stdout.write(readFileSync(ANSWER))
`

async function withPlugin(home: KubeHome, env: Record<string, string> = {}): Promise<Credentials> {
  const variables = { RUNS: home.path('runs'), ANSWER: home.path('answer'), ...env }
  const { credentials } = await home.loadWith({
    user: {
      exec: {
        apiVersion,
        interactiveMode: 'Never',
        command: process.execPath,
        args: [await home.write('plugin.mjs', plugin)],
        env: Object.entries(variables).map(([name, value]) => ({ name, value })),
      },
    },
  })
  return credentials
}

async function pluginReturns(home: KubeHome, status: object) {
  await home.write('answer', { apiVersion, kind: 'ExecCredential', status })
}

const runs = async (home: KubeHome) => (await home.lines('runs')).length
const inSeconds = (home: KubeHome, seconds: number) =>
  new Date(home.clock.now().getTime() + seconds * 1000).toISOString()

async function until(condition: () => Promise<boolean> | boolean) {
  await expect.poll(condition, { timeout: 10_000, interval: 5 }).toBe(true)
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

it('The credential of a plugin is asked for when it is first needed, and then kept', async ({ home }) => {
  const credentials = await withPlugin(home)
  expect(await runs(home)).toBe(0)
  await pluginReturns(home, { token: 'first' })
  const first = await credentials.current()
  expect(first).toEqual({ authorization: 'Bearer first' })
  await home.clock.advance(24 * 3_600_000)
  expect(await credentials.current()).toBe(first)
  expect(await runs(home)).toBe(1)
})

it('The credential of a plugin can be a client certificate, alone or with a token', async ({ home }) => {
  const credentials = await withPlugin(home)
  const { certificate, key } = await certificateAuthority('portcullis-test-authority')
  const pair = { clientCertificateData: certificate, clientKeyData: key }
  await pluginReturns(home, pair)
  const first = await credentials.current()
  expect(first).toEqual({ clientCertificate: { certificate, key } })
  await pluginReturns(home, { ...pair, token: 'too' })
  await credentials.rejected(first)
  expect(await credentials.current()).toEqual({
    authorization: 'Bearer too',
    clientCertificate: { certificate, key },
  })
})

it('The credential of a plugin is replaced ten seconds before it expires, not earlier', async ({ home }) => {
  const credentials = await withPlugin(home)
  await pluginReturns(home, { token: 'first', expirationTimestamp: inSeconds(home, 60) })
  const first = await credentials.current()
  await pluginReturns(home, { token: 'second', expirationTimestamp: inSeconds(home, 120) })
  await home.clock.advance(49_999)
  expect(await credentials.current()).toBe(first)
  await home.clock.advance(1)
  expect(await credentials.current()).toEqual({ authorization: 'Bearer second' })
})

it('A credential that is valid for less than ten seconds is used until it expires', async ({ home }) => {
  const credentials = await withPlugin(home)
  await pluginReturns(home, { token: 'brief', expirationTimestamp: inSeconds(home, 5) })
  const brief = await credentials.current()
  await home.clock.advance(4_999)
  expect(await credentials.current()).toBe(brief)
  await home.clock.advance(1)
  await credentials.current()
  expect(await runs(home)).toBe(2)
})

it('A plugin that hands out the same credential again leaves the identical one in place', async ({
  home,
}) => {
  const credentials = await withPlugin(home)
  await pluginReturns(home, { token: 'same', expirationTimestamp: inSeconds(home, 60) })
  const first = await credentials.current()
  await home.clock.advance(60_000)
  expect(await credentials.current()).toBe(first)
  expect(await runs(home)).toBe(2)
})

it('A plugin runs once for any number of callers at a time', async ({ home }) => {
  const credentials = await withPlugin(home)
  await pluginReturns(home, { token: 'shared' })
  const all = await Promise.all([credentials.current(), credentials.current(), credentials.current()])
  expect(new Set(all).size).toBe(1)
  expect(await runs(home)).toBe(1)
})

it('A failure of the plugin is not kept', async ({ home }) => {
  const credentials = await withPlugin(home)
  await home.write('answer', 'nonsense')
  await expect(credentials.current()).rejects.toThrow('not JSON')
  await pluginReturns(home, { token: 'at last' })
  expect(await credentials.current()).toEqual({ authorization: 'Bearer at last' })
})

it('After a 401 the plugin is run once more, however many requests were refused', async ({ home }) => {
  const credentials = await withPlugin(home)
  await pluginReturns(home, { token: 'first' })
  const first = await credentials.current()
  await pluginReturns(home, { token: 'second' })
  const retry = async () => {
    expect(await credentials.rejected(first)).toBe(true)
    return credentials.current()
  }
  const second = await retry()
  expect(second).toEqual({ authorization: 'Bearer second' })
  expect(await Promise.all([retry(), retry()])).toEqual([second, second])
  expect(await runs(home)).toBe(2)
})

it('After a 401 the plugin is run once more even if it hands out the same credential for all of them', async ({
  home,
}) => {
  const credentials = await withPlugin(home)
  await pluginReturns(home, { token: 'revoked' })
  const first = await credentials.current()
  for (let refused = 0; refused < 3; refused++) {
    await credentials.rejected(first)
    await credentials.current()
  }
  expect(await runs(home)).toBe(2)
})

it('A caller who gives up returns at once, and the others still get the credential', async ({ home }) => {
  const credentials = await withPlugin(home, { GATE: home.path('gate') })
  await pluginReturns(home, { token: 'patience' })
  const impatient = new AbortController()
  const first = credentials.current(impatient.signal)
  const second = credentials.current()
  await until(async () => (await runs(home)) === 1)
  impatient.abort(new Error('no time'))
  await expect(first).rejects.toThrow('no time')
  await home.write('gate', '')
  expect(await second).toEqual({ authorization: 'Bearer patience' })
  expect(await runs(home)).toBe(1)
})

it('A plugin is ended when its last caller gives up, and the next caller runs it anew', async ({ home }) => {
  const credentials = await withPlugin(home, { GATE: home.path('gate') })
  await pluginReturns(home, { token: 'later' })
  const impatient = new AbortController()
  const first = credentials.current(impatient.signal)
  await until(async () => (await runs(home)) === 1)
  impatient.abort(new Error('no time'))
  await expect(first).rejects.toThrow('no time')
  const [pid] = await home.lines('runs')
  await until(() => !isRunning(Number(pid)))
  await home.write('gate', '')
  expect(await credentials.current()).toEqual({ authorization: 'Bearer later' })
  expect(await runs(home)).toBe(2)
})

it('A caller who gives up before the plugin runs does not start it', async ({ home }) => {
  const credentials = await withPlugin(home)
  expect(() => credentials.current(AbortSignal.abort(new Error('never mind')))).toThrow('never mind')
  expect(await runs(home)).toBe(0)
})
