import type { Environment } from '@marcbachmann/cel-js'
import { CelError } from './cel-error.ts'

class SemverValue {
  readonly parts: readonly [major: bigint, minor: bigint, patch: bigint, pre: string]
  constructor(parts: SemverValue['parts']) {
    this.parts = parts
  }
}

/** Semantic versions. */
export function registerVersions(env: Environment): void {
  env.registerType('Semver', SemverValue as never)
  const parse = (text: string): SemverValue | undefined => {
    const match =
      /^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/.exec(
        text,
      )
    if (match === null) return undefined
    const [, major = '', minor = '', patch = '', pre = ''] = match
    return new SemverValue([BigInt(major), BigInt(minor), BigInt(patch), pre])
  }
  const compare = (a: SemverValue, b: SemverValue): bigint => {
    for (const i of [0, 1, 2] as const)
      if (a.parts[i] !== b.parts[i]) return a.parts[i] < b.parts[i] ? -1n : 1n
    const [x, y] = [a.parts[3], b.parts[3]]
    if (x === y) return 0n
    if (x === '' || y === '') return x === '' ? 1n : -1n
    return x.localeCompare(y, 'en', { numeric: true }) < 0 ? -1n : 1n
  }
  env.registerFunction('isSemver(string): bool', (text: string) => parse(text) !== undefined)
  env.registerFunction('semver(string): Semver', (text: string) => {
    const version = parse(text)
    if (version === undefined) throw new CelError('No Major.Minor.Patch elements found')
    return version
  })
  env.registerFunction('Semver.major(): int', ({ parts }: SemverValue) => parts[0])
  env.registerFunction('Semver.minor(): int', ({ parts }: SemverValue) => parts[1])
  env.registerFunction('Semver.patch(): int', ({ parts }: SemverValue) => parts[2])
  env.registerFunction(
    'Semver.isLessThan(Semver): bool',
    (a: SemverValue, b: SemverValue) => compare(a, b) < 0n,
  )
  env.registerFunction(
    'Semver.isGreaterThan(Semver): bool',
    (a: SemverValue, b: SemverValue) => compare(a, b) > 0n,
  )
  env.registerFunction('Semver.compareTo(Semver): int', compare)
}
