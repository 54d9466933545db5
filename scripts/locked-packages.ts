import { readFileSync } from 'node:fs'

/** A package as the lock file has it. */
export interface LockedPackage {
  readonly name: string
  readonly version: string
  /** Where it is installed, in the project's directory. */
  readonly path: string
  /** An SPDX expression; undefined where the lock file knows a package of another platform by name alone. */
  readonly license: string | undefined
  readonly integrity: string | undefined
  /** Whether it comes with the program; else it is a tool for making it. */
  readonly isShipped: boolean
  /** The paths of what it needs. */
  readonly needs: readonly string[]
}

interface LockEntry {
  readonly version: string
  readonly license?: string
  readonly integrity?: string
  readonly dev?: boolean
  /** A package of ours, of `packages`. */
  readonly link?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
}

/** The project itself comes first, at the path ''; its own packages are not listed apart from it. */
export function lockedPackages(lockFile = 'package-lock.json'): LockedPackage[] {
  const { packages } = JSON.parse(readFileSync(lockFile, 'utf8')) as { packages: Record<string, LockEntry> }
  const others = Object.entries(packages).filter(
    ([path, { link }]) => path === '' || (path.includes('node_modules/') && link !== true),
  )
  return others.map(([path, entry]) => ({
    name: path === '' ? 'portcullis' : path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
    version: entry.version,
    path,
    license: entry.license,
    integrity: entry.integrity,
    isShipped: entry.dev !== true,
    needs: Object.keys(entry.dependencies ?? {}).flatMap((name) => placeOf(name, path, packages) ?? []),
  }))
}

/** As Node looks for it: beside, then further and further out. */
function placeOf(
  name: string,
  from: string,
  packages: Readonly<Record<string, unknown>>,
): string | undefined {
  for (let place = from; ; place = place.slice(0, Math.max(0, place.lastIndexOf('node_modules/') - 1))) {
    const path = `${place === '' ? '' : `${place}/`}node_modules/${name}`
    if (packages[path] !== undefined) return path
    if (place === '') return undefined
  }
}
