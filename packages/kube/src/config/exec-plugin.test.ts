import { readFile } from 'node:fs/promises'
import { expect } from 'vitest'
import { certificateAuthority } from '../certificates.ts'
import { base64, it, type KubeHome } from '../testing/kube-home.ts'
import type { Environment } from './environment.ts'
import { KubeconfigError } from './kubeconfig-error.ts'

const v1 = 'client.authentication.k8s.io/v1'
const print = (response: unknown) => `process.stdout.write(${JSON.stringify(JSON.stringify(response))})`
const issue = (status: unknown, apiVersion = v1) => print({ apiVersion, kind: 'ExecCredential', status })
/** Returns a token, and writes its input to the file "input". */
const reporter = (home: KubeHome) => `
import { writeFileSync } from 'node:fs'
const { env, argv } = process
writeFileSync(${JSON.stringify(home.path('input'))}, JSON.stringify({ env, args: argv.slice(2) }))
${issue({ token: 'granted' })}
`

interface PluginInput {
  readonly args: string[]
  readonly env: Record<string, string>
  readonly info: { apiVersion: string; kind: string; spec: { interactive: boolean; cluster?: object } }
}

async function pluginInput(home: KubeHome): Promise<PluginInput> {
  const { args, env } = JSON.parse(await readFile(home.path('input'), 'utf8')) as Omit<PluginInput, 'info'>
  return { args, env, info: JSON.parse(env['KUBERNETES_EXEC_INFO'] ?? 'null') as PluginInput['info'] }
}

interface Setup {
  readonly body?: string
  readonly exec?: object
  readonly cluster?: object
  readonly environment?: Partial<Environment>
}

/** Runs a plugin with that body, as a request would. */
async function ask(home: KubeHome, { body = reporter(home), exec, cluster, environment }: Setup = {}) {
  const script = await home.write('plugin.mjs', body)
  const user = {
    exec: { apiVersion: v1, interactiveMode: 'Never', command: process.execPath, args: [script], ...exec },
  }
  const access = await home.loadWith(
    { user, ...(cluster && { cluster }) },
    { environment: home.environment(environment) },
  )
  return access.credentials.current()
}

async function failure(home: KubeHome, setup: Setup): Promise<string> {
  const error = await ask(home, setup).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(KubeconfigError)
  return (error as Error).message
}

it('A plugin gets its arguments, and its variables on top of the environment', async ({ home }) => {
  const script = await home.write('plugin.mjs', reporter(home))
  await ask(home, {
    exec: { args: [script, 'get-token', '--cluster=a b'], env: [{ name: 'REGION', value: 'east' }] },
    environment: { env: { KEPT: 'yes', REGION: 'west' } },
  })
  const { args, env } = await pluginInput(home)
  expect(args).toEqual(['get-token', '--cluster=a b'])
  expect(env).toMatchObject({ KEPT: 'yes', REGION: 'east' })
})

it('A plugin with a bare name is looked up on PATH', async ({ home }) => {
  await home.writeProgram('bin/my-plugin.mjs', issue({ token: 'from PATH' }))
  const credential = await ask(home, {
    exec: { command: 'my-plugin.mjs', args: [] },
    environment: { env: { PATH: home.path('bin') } },
  })
  expect(credential).toEqual({ authorization: 'Bearer from PATH' })
})

it('A plugin with a relative path is found beside the kubeconfig', async ({ home }) => {
  await home.writeProgram('.kube/plugins/mine.mjs', issue({ token: 'from beside' }))
  const credential = await ask(home, { exec: { command: './plugins/mine.mjs', args: null } })
  expect(credential).toEqual({ authorization: 'Bearer from beside' })
})

it('A plugin may speak v1beta1, where interactiveMode may be left out', async ({ home }) => {
  const v1beta1 = 'client.authentication.k8s.io/v1beta1'
  const body = issue({ token: 'older' }, v1beta1)
  const credential = await ask(home, { body, exec: { apiVersion: v1beta1, interactiveMode: undefined } })
  expect(credential).toEqual({ authorization: 'Bearer older' })
})

it('A plugin gets no cluster info unless the kubeconfig asks for it', async ({ home }) => {
  await ask(home)
  expect((await pluginInput(home)).info).toEqual({
    apiVersion: v1,
    kind: 'ExecCredential',
    spec: { interactive: false },
  })
})

it('A plugin gets cluster info with provideClusterInfo', async ({ home }) => {
  const { certificate } = await certificateAuthority('ca')
  const cluster = {
    server: 'https://east.example:6443',
    'tls-server-name': 'kubernetes',
    'certificate-authority': await home.write('ca.pem', certificate),
    'proxy-url': 'http://proxy.example:3128',
    extensions: [
      { name: 'something-else', extension: { audience: 'other' } },
      { name: 'client.authentication.k8s.io/exec', extension: { audience: 'east' } },
    ],
  }
  await ask(home, { cluster, exec: { provideClusterInfo: true } })
  expect((await pluginInput(home)).info.spec.cluster).toEqual({
    server: 'https://east.example:6443',
    'tls-server-name': 'kubernetes',
    'certificate-authority-data': base64(certificate),
    'proxy-url': 'http://proxy.example:3128/',
    config: { audience: 'east' },
  })
})

it('The messages of a plugin are shown while it runs', async ({ home }) => {
  const shown: Uint8Array[] = []
  const body = `process.stderr.write('open https://login.example'); ${issue({ token: 'granted' })}`
  await ask(home, { body, environment: { stderr: { write: (chunk) => shown.push(chunk) } } })
  expect(Buffer.concat(shown).toString()).toBe('open https://login.example')
})

it.for([
  { interactiveMode: 'Never', isTerminal: true, interactive: false },
  { interactiveMode: 'IfAvailable', isTerminal: true, interactive: true },
  { interactiveMode: 'IfAvailable', isTerminal: false, interactive: false },
  { interactiveMode: 'Always', isTerminal: true, interactive: true },
])(
  'With interactiveMode $interactiveMode and terminal $isTerminal, the plugin may ask is $interactive',
  async (row, { home }) => {
    await ask(home, {
      exec: { interactiveMode: row.interactiveMode },
      environment: { isTerminal: row.isTerminal },
    })
    expect((await pluginInput(home)).info.spec.interactive).toBe(row.interactive)
  },
)

it('A plugin with interactiveMode Never has empty standard input', async ({ home }) => {
  const body = `
      let read = ''
      for await (const chunk of process.stdin) read += chunk
      process.stdout.write(JSON.stringify({ apiVersion: '${v1}', kind: 'ExecCredential', status: { token: 'read:' + read } }))`
  expect(await ask(home, { body })).toEqual({ authorization: 'Bearer read:' })
})

it('A plugin with interactiveMode Always is not run without a terminal', async ({ home }) => {
  await expect(ask(home, { exec: { interactiveMode: 'Always' } })).rejects.toThrow(
    /must be able to ask a person \(interactiveMode: Always\), but standard input is not a terminal; run this in a terminal/,
  )
  expect(await home.lines('input')).toEqual([])
})

it('The error of a plugin that fails has its location in the kubeconfig, its exit code and its stderr', async ({
  home,
}) => {
  const body = `process.stderr.write('\\u001b[31mtoken expired\\u001b[0m, run: login\\n'); process.exitCode = 3`
  const secret = '--password=s3cret'
  const message = await failure(home, { body, exec: { args: [home.path('plugin.mjs'), secret] } })
  expect(message).toBe(
    `${home.path('.kube/config')}: users[0].user.exec (user "ann"): the credential plugin "${process.execPath}" failed with exit code 3; it said:\ntoken expired, run: login`,
  )
})

it('The error of a plugin that fails quotes the end of its output, where the cause stands', async ({
  home,
}) => {
  const body = `process.stderr.write('noise '.repeat(10_000) + 'the cause'); process.exitCode = 1`
  const message = await failure(home, { body })
  expect(message).toMatch(/noise the cause$/)
  expect(message.length).toBeLessThan(3_000)
})

it('A plugin that ends by a signal is reported as killed', async ({ home }) => {
  expect(await failure(home, { body: `process.kill(process.pid, 'SIGKILL')` })).toContain(
    'was killed by SIGKILL',
  )
})

it('The error of a plugin that is not found has its install hint', async ({ home }) => {
  const exec = { command: 'no-such-plugin', installHint: 'brew install no-such-plugin' }
  expect(await failure(home, { exec })).toMatch(
    /"no-such-plugin" was not found on PATH; brew install no-such-plugin$/,
  )
})

it('The error of a plugin that is not found by its path names that path', async ({ home }) => {
  const message = await failure(home, { exec: { command: './nope' } })
  expect(message).toContain(`"${home.path('.kube/nope')}" does not exist; install it, or correct the command`)
})

it('A plugin that may not be executed is reported as such', async ({ home }) => {
  const command = await home.write('not-executable', 'echo')
  expect(await failure(home, { exec: { command } })).toContain('may not be executed (EACCES)')
})

it('A plugin that does not finish within five minutes is ended', async ({ home }) => {
  const shown: string[] = []
  const stderr = { write: (chunk: Uint8Array) => shown.push(Buffer.from(chunk).toString()) }
  const body = `process.stderr.write(String(process.pid)); setInterval(() => {}, 1000)`
  const failing = failure(home, { body, environment: { stderr } })
  await expect.poll(() => shown, { timeout: 10_000 }).toHaveLength(1)
  await home.clock.advance(5 * 60_000)
  expect(await failing).toContain(`has not finished within 5 minutes; it said:\n${shown[0]}`)
  expect(home.clock.pendingTimers).toBe(0)
  await expect.poll(() => isRunning(Number(shown[0])), { timeout: 10_000 }).toBe(false)
})

it.for([
  { answer: 'nothing', body: '', says: 'printed nothing; it must print an ExecCredential' },
  { answer: 'no JSON', body: `console.log('s3cret')`, says: 'printed something that is not JSON' },
  {
    answer: 'another kind',
    body: print({ kind: 'Secret', apiVersion: v1 }),
    says: 'not an ExecCredential',
  },
  {
    answer: 'another apiVersion',
    body: issue({ token: 's3cret' }, 'client.authentication.k8s.io/v1beta1'),
    says: `answered in apiVersion "client.authentication.k8s.io/v1beta1", but the kubeconfig says "${v1}"`,
  },
  { answer: 'no status', body: issue(undefined), says: 'returned no status' },
  {
    answer: 'an empty status',
    body: issue({ token: '' }),
    says: 'neither a token nor a client certificate',
  },
  { answer: 'a token that is no text', body: issue({ token: 5 }), says: 'a status.token that is not text' },
  {
    answer: 'half a pair',
    body: issue({ clientKeyData: 's3cret' }),
    says: 'returned only one of clientCertificateData and clientKeyData',
  },
  {
    answer: 'a certificate that is none',
    body: issue({ clientCertificateData: 's3cret', clientKeyData: 's3cret' }),
    says: 'returned a clientCertificateData that holds no PEM certificate',
  },
  {
    answer: 'a time that is none',
    body: issue({ token: 's3cret', expirationTimestamp: 'soon' }),
    says: 'returned an expirationTimestamp that is no time: "soon"',
  },
])(
  'The error of a plugin that returns $answer names the reason, and no secret',
  async ({ body, says }, { home }) => {
    const message = await failure(home, { body })
    expect(message).toContain(says)
    expect(message).not.toContain('s3cret')
  },
)

it('A plugin whose key does not belong to its certificate is reported as such', async ({ home }) => {
  const [one, other] = await Promise.all([
    certificateAuthority('portcullis-test-authority'),
    certificateAuthority('portcullis-test-authority'),
  ])
  const withKey = (clientKeyData: string) => issue({ clientCertificateData: one.certificate, clientKeyData })
  expect(await failure(home, { body: withKey(other.key) })).toContain(
    'a clientKeyData of another certificate',
  )
  expect(await failure(home, { body: withKey('nonsense') })).toContain(
    'a clientKeyData that holds no PEM private key',
  )
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
