import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { dependencies, version } from '../../package.json'
import { auditOf } from '../../scripts/audit.ts'
import { licenceProblems } from '../../scripts/licences.ts'
import { type LockedPackage, lockedPackages } from '../../scripts/locked-packages.ts'
import { run } from '../clusters/run.ts'

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

test('the bill of materials lists each production dependency in its exact version', {
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
test('it lists all that npm itself would list', { timeout: 60_000 }, async () => {
  const args = ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only']
  const { code, stdout, stderr } = await run('npm', args)
  expect(code, stderr).toBe(0)
  const purls = ({ components }: Bom) => components.map(({ purl }) => purl).sort()
  const npms = purls(JSON.parse(stdout) as Bom)
  expect(npms.length).toBeGreaterThan(20)
  expect(purls(JSON.parse(await writtenBom()) as Bom)).toEqual(expect.arrayContaining(npms))
})

test('what goes into the image and the package brings the bill and the licences', async () => {
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

test('a licence that nobody has judged is a problem', () => {
  expect(licenceProblems(lockedPackages())).toEqual([])
  const [some] = lockedPackages()
  const under = (license: string | undefined, isShipped: boolean) =>
    licenceProblems([{ ...(some as LockedPackage), license, isShipped }]).length
  expect([under('AGPL-3.0-only', true), under(undefined, true), under('MPL-2.0', true)]).toEqual([1, 1, 1])
  expect([under('AGPL-3.0-only', false), under('MPL-2.0', false), under(undefined, false)]).toEqual([1, 0, 0])
})

test('an audit fails for what is serious, and says so where there is none', () => {
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
