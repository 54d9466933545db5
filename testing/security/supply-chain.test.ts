import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { dependencies, version } from '../../package.json'
import { auditOf } from '../../scripts/audit.ts'
import { licenceProblems } from '../../scripts/licences.ts'
import { type LockedPackage, lockedPackages } from '../../scripts/locked-packages.ts'
import { run } from '../clusters/run-command.ts'

interface Bom {
  readonly metadata: { readonly component: { readonly name: string; readonly version: string } }
  readonly components: readonly { readonly name: string; readonly version: string; readonly purl: string }[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

async function writtenBom(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'portcullis-sbom-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const file = join(directory, 'deep', 'sbom.json')
  const { code, stderr } = await run(process.execPath, ['--import', 'tsx', 'scripts/sbom.ts', file])
  expect(code, stderr).toBe(0)
  return readFile(file, 'utf8')
}

test('The bill of materials lists each production dependency in its exact version', {
  timeout: 60_000,
}, async () => {
  const text = await writtenBom()
  const bom = JSON.parse(text) as Bom
  expect(bom.metadata.component).toMatchObject({ name: 'portcullis', version })
  const listed = bom.components.map((each) => `${each.name}@${each.version}`)
  for (const [name, exact] of Object.entries(dependencies)) expect(listed).toContain(`${name}@${exact}`)
  const own = bom.dependencies.find(({ ref }) => ref === `portcullis@${version}`)
  expect(own?.dependsOn.toSorted()).toEqual(
    Object.entries(dependencies)
      .map((each) => each.join('@'))
      .toSorted(),
  )
  expect(listed.join()).not.toContain('vitest')
  expect(text).not.toMatch(/https?:/)
  expect(await writtenBom()).toBe(text)
})

// It leaves out what tools need as well, such as zod: that is why the list is not left to it.
test('The bill of materials lists everything that npm itself would list', { timeout: 60_000 }, async () => {
  const args = ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only']
  const { code, stdout, stderr } = await run('npm', args)
  expect(code, stderr).toBe(0)
  const purls = ({ components }: Bom) =>
    components
      .map(({ purl }) => purl)
      .filter((purl) => !purl.startsWith('pkg:npm/%40portcullis/'))
      .sort()
  const npms = purls(JSON.parse(stdout) as Bom)
  expect(npms.length).toBeGreaterThan(20)
  expect(purls(JSON.parse(await writtenBom()) as Bom)).toEqual(expect.arrayContaining(npms))
})

test('The image and the package contain the bill of materials and the licences', async () => {
  const image = await readFile('Containerfile', 'utf8')
  expect(image).toContain('npm run --silent sbom')
  expect(image).toMatch(
    /COPY --from=build .*\/src\/dist\/sbom\.cdx\.json .*\/src\/docs\/third-party-licences\.md/,
  )
  const { files, scripts } = JSON.parse(await readFile('package.json', 'utf8')) as {
    files: string[]
    scripts: { prepare: string }
  }
  expect(files).toEqual(expect.arrayContaining(['dist', 'docs/third-party-licences.md']))
  expect(scripts.prepare).toContain('npm run sbom')
  const page = await readFile('docs/third-party-licences.md', 'utf8')
  for (const [name, exact] of Object.entries(dependencies)) expect(page).toContain(`| ${name} | ${exact} |`)
})

test('A licence that nobody has judged is a problem', () => {
  expect(licenceProblems(lockedPackages())).toEqual([])
  const [some] = lockedPackages()
  const under = (license: string | undefined, isShipped: boolean) =>
    licenceProblems([{ ...(some as LockedPackage), license, isShipped }]).length
  expect([under('AGPL-3.0-only', true), under(undefined, true), under('MPL-2.0', true)]).toEqual([1, 1, 1])
  expect([under('AGPL-3.0-only', false), under('MPL-2.0', false), under(undefined, false)]).toEqual([1, 0, 0])
})

test('An audit fails for serious vulnerabilities, and says so where there is no audit', () => {
  const found = (severity: string) =>
    auditOf(
      JSON.stringify({
        metadata: {},
        vulnerabilities: { left: { severity, range: '<2', via: [{ title: 'It pads' }, 'right'] } },
      }),
    )
  expect(found('high')).toEqual({
    outcome: 'vulnerable',
    problems: ['left <2 (high): It pads; by way of right'],
  })
  expect(found('critical').outcome).toBe('vulnerable')
  expect(found('moderate')).toEqual({ outcome: 'clean' })
  expect(auditOf('{"statusCode":405,"error":{}}')).toEqual({ outcome: 'unknown', why: '405' })
  expect(auditOf('{"error":{"code":"ENOTFOUND"}}')).toEqual({ outcome: 'unknown', why: 'ENOTFOUND' })
  expect(auditOf('')).toEqual({ outcome: 'unknown', why: 'no answer' })
})

test.each(['package-lock.json', 'testing/clusters/nodejs/package-lock.json'])(
  'Every package in %s is locked with its integrity, for whatever platform it is',
  (file) => {
    const { packages } = JSON.parse(readFileSync(file, 'utf8')) as {
      packages: Record<string, { integrity?: string; link?: boolean }>
    }
    const locked = Object.entries(packages).filter(
      ([path, { link }]) => path.includes('node_modules/') && link !== true,
    )
    expect(locked.length).toBeGreaterThan(0)
    expect(locked.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([])
  },
)

const workflows = readdirSync('.github/workflows').map(
  (name) => [name, readFileSync(join('.github/workflows', name), 'utf8')] as const,
)

test.each(workflows)('%s runs actions by their commit alone, with rights that it names', (_, text) => {
  const used = [...text.matchAll(/uses: *(\S+)(.*)/g)]
  expect(used.length).toBeGreaterThan(0)
  for (const [, action, comment] of used) {
    expect(action).toMatch(/^[\w-]+\/[\w/-]+@[0-9a-f]{40}$/)
    expect(comment, 'which version that is').toMatch(/^ # v\d+\.\d+\.\d+$/)
  }
  const { permissions } = parse(text) as { permissions?: object }
  expect([{}, { contents: 'read' }]).toContainEqual(permissions)
  expect(text).not.toMatch(/pull_request_target|-latest\b|:latest\b/)
  // What others wrote reaches a shell by its environment alone.
  for (const [script] of text.matchAll(/run: (\|\n(?: {10}.*\n)+|.*\n)/g)) expect(script).not.toContain('${{')
})

test('A release is built from a complete lock file, signed without a key and attested', () => {
  const release = workflows.find(([name]) => name === 'release.yml')?.[1] ?? ''
  for (const step of [
    'npm ci --ignore-scripts',
    'complete-lock-file.mjs --check',
    'cosign sign',
    'attest-build-provenance@',
    'sbom',
  ])
    expect(release).toContain(step)
})

test('Base images are named by digest, and no image by the tag latest', async () => {
  const { stdout } = await run('git', ['grep', '-nIE', '[a-z0-9]:latest\\b', '--', ':!testing', ':!*.lock'])
  expect(stdout).toBe('')
  const froms = (await readFile('Containerfile', 'utf8')).match(/^FROM .*/gm) ?? []
  expect(froms.length).toBe(2)
  for (const from of froms)
    expect(from).toMatch(/^FROM docker\.io\/library\/node:26-alpine@sha256:[0-9a-f]{64}( AS build)?$/)
})
