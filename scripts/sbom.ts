// `npm run sbom`: writes dist/sbom.cdx.json (or the file that is named), which lists in CycloneDX what the program is
// made of. Made from the lock file alone, so that the same commit gives the same file.
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type LockedPackage, lockedPackages } from './locked-packages.ts'

function sbom(packages: readonly LockedPackage[]): object {
  const shipped = packages.filter(({ isShipped }) => isShipped)
  const [program, ...others] = shipped
  const byPath = new Map(shipped.map((each) => [each.path, each]))
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { ...component(program as LockedPackage), type: 'application' } },
    components: others.map(component),
    dependencies: shipped.map((each) => ({
      ref: referenceOf(each),
      dependsOn: each.needs.flatMap((path) => {
        const needed = byPath.get(path)
        return needed === undefined ? [] : referenceOf(needed)
      }),
    })),
  }
}

function component(each: LockedPackage) {
  const { name, version, license, integrity } = each
  return {
    type: 'library',
    'bom-ref': referenceOf(each),
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(license !== undefined && { licenses: [{ expression: license }] }),
    ...(integrity !== undefined && { hashes: [hashOf(integrity)] }),
  }
}

function referenceOf({ name, version }: LockedPackage): string {
  return `${name}@${version}`
}

/** `sha512-` and base64 is what npm writes; CycloneDX wants hexadecimal. */
function hashOf(integrity: string) {
  const [algorithm = '', digest = ''] = integrity.split('-')
  return {
    alg: algorithm.toUpperCase().replace('SHA', 'SHA-'),
    content: Buffer.from(digest, 'base64').toString('hex'),
  }
}

const file = process.argv[2] ?? 'dist/sbom.cdx.json'
await mkdir(dirname(file), { recursive: true })
await writeFile(file, `${JSON.stringify(sbom(lockedPackages()), undefined, 2)}\n`)
