import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { cliOnPath } from '@portcullis/cli/internal/testing/cli-on-path.ts'
import { Client, createMetrics, Namespace, silentLogger, sleep, systemClock } from '@portcullis/kube'
import { startSandbox } from '@portcullis/sandbox'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'

const run = promisify(execFile)
const root = resolve('.')

/** Compilers and processes are slow on a machine that is busy. */
const timeout = 60_000

/** The sample of a README, and what it says that the sample prints. */
interface Sample {
  readonly name: string
  readonly language: string
  readonly code: string
  readonly printed: string | undefined
}

async function sampleOf(name: string): Promise<Sample> {
  const readme = await readFile(join('packages', name, 'README.md'), 'utf8')
  const [, language = '', code = ''] = /^```(ts|sh)\n(.*?)^```$/ms.exec(readme) ?? []
  const [, printed] = /^```text\n(.*?)^```$/ms.exec(readme) ?? []
  return { name, language, code, printed }
}

const samples = await Promise.all((await readdir('packages')).map(sampleOf))
const inTypeScript = samples.filter(({ language }) => language === 'ts')

/** In the checkout, where imports of packages are found; git ignores it. */
let directory = ''
const fileOf = ({ name }: Sample) => join(directory, `${name}.ts`)

beforeAll(async () => {
  await mkdir('.portcullis', { recursive: true })
  directory = await mkdtemp(join(root, '.portcullis', 'samples-'))
  await writeFile(
    join(directory, 'tsconfig.json'),
    JSON.stringify({ extends: join(root, 'tsconfig.json'), include: ['*.ts'] }),
  )
  for (const sample of inTypeScript) await writeFile(fileOf(sample), sample.code)
})
afterAll(() => rm(directory, { recursive: true }))

test('The README of every package has a sample, which imports from the entries of packages alone', () => {
  expect(samples.map(({ name, language }) => `${name} ${language}`)).toEqual([
    'cli sh',
    'kube ts',
    'onprem ts',
    'operator ts',
    'sandbox ts',
    'schema ts',
  ])
  for (const { name, code } of inTypeScript) {
    const imported = [...code.matchAll(/from '([^']+)'/g)].map(([, specifier]) => specifier)
    expect(imported, name).toContain(`@portcullis/${name}`)
    for (const specifier of imported) expect(specifier, name).toMatch(/^@portcullis\/[a-z]+$/)
  }
})

test('The samples of all packages are well typed', { timeout }, async () => {
  const tsc = join(root, 'node_modules', '.bin', 'tsc')
  const output = await run(tsc, ['--project', directory]).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  )
  expect(output).toBe('')
})

test.each(
  inTypeScript.filter(({ printed }) => printed !== undefined).map((sample) => [sample.name, sample] as const),
)('The sample of %s prints what its README says', { timeout }, async (_, sample) => {
  const lines: string[] = []
  const spy = vi.spyOn(console, 'log').mockImplementation((...words) => void lines.push(words.join(' ')))
  onTestFinished(() => spy.mockRestore())
  await import(fileOf(sample))
  expect(`${lines.join('\n')}\n`).toBe(sample.printed)
})

test('The operator in the sample of kube labels the namespaces of a cluster, and stops on a signal', {
  timeout,
}, async () => {
  const sandbox = await startSandbox({
    platform: 'BareMetal',
    nodes: 0,
    port: 0,
    cloudDelayMs: 0,
    clock: systemClock,
    random: Math.random,
    log: silentLogger,
  })
  onTestFinished(() => sandbox.close())
  const client = Client.connect({
    access: sandbox.access,
    name: 'test',
    userAgent: 'test/1',
    clock: systemClock,
    random: Math.random,
    metrics: createMetrics('test'),
  })
  onTestFinished(() => client.close())
  const sample = samples.find(({ name }) => name === 'kube') as Sample
  const kubeconfig = join(directory, 'kubeconfig')
  await writeFile(kubeconfig, kubeconfigOf(sandbox))
  const running = run(process.execPath, ['--import', 'tsx', fileOf(sample)], {
    env: { ...process.env, KUBECONFIG: kubeconfig },
  })
  const ended = running.then(
    () => 'in good order',
    (error: { code?: number; stderr?: string }) => `with ${error.code}: ${error.stderr}`,
  )
  const isLabelled = async () => {
    const { metadata } = await client.get(Namespace, { name: 'default' })
    return metadata.labels?.['owner'] === 'platform'
  }
  while (running.child.exitCode === null && !(await isLabelled())) await sleep(systemClock, 50)
  running.child.kill('SIGTERM')
  expect(await ended).toBe('in good order')
  expect(await isLabelled()).toBe(true)
})

test('The commands in the README of cli print what it says', { timeout }, async () => {
  const { code, printed } = samples.find(({ name }) => name === 'cli') as Sample
  const path = `${await cliOnPath('portcullis')}:${dirname(process.execPath)}:${process.env['PATH']}`
  const { stdout } = await run('sh', ['-euc', code], { env: { ...process.env, PATH: path } })
  expect(stdout).toBe(printed)
})

function kubeconfigOf({
  server,
  ca,
  adminToken,
}: {
  server: string
  ca: string
  adminToken: string
}): string {
  const certificate = Buffer.from(ca).toString('base64')
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'sandbox', cluster: { server, 'certificate-authority-data': certificate } }],
    users: [{ name: 'admin', user: { token: adminToken } }],
    contexts: [{ name: 'sandbox', context: { cluster: 'sandbox', user: 'admin' } }],
    'current-context': 'sandbox',
  })
}
