import { readFileSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { DirectImports } from '../../scripts/direct-imports.ts'

const directImports = new DirectImports()

/** The files that a file loads, directly or not, itself among them. */
export function loadedBy(file: string, known = new Map<string, readonly string[]>()): Set<string> {
  const found = new Set<string>()
  const visit = (each: string): void => {
    if (found.has(each)) return
    found.add(each)
    const direct = known.get(each) ?? importsOf(each)
    known.set(each, direct)
    for (const one of direct) visit(one)
  }
  visit(file)
  return found
}

function importsOf(file: string): string[] {
  const text = directImports.rewrite(readFileSync(file, 'utf8'), file).replaceAll('; import', '\nimport')
  return [...text.matchAll(/^(?:import|export) [^']*?from '([^']+)'/gm)]
    .filter(([statement]) => !statement.startsWith('import type'))
    .flatMap(([, source = '']) => {
      if (isAbsolute(source)) return [relative(resolve('.'), source)]
      return source.startsWith('.') ? [join(dirname(file), source)] : []
    })
}

/** Those of the test files that load one of these, the nearest first. */
export function testsOf(targets: readonly string[], testFiles: readonly string[]): string[] {
  const known = new Map<string, readonly string[]>()
  const distance = (test: string) => Math.min(...targets.map((target) => distanceOf(test, target)))
  return testFiles
    .filter((test) => {
      const loaded = loadedBy(test, known)
      return targets.some((target) => loaded.has(target))
    })
    .map((test) => ({ test, far: distance(test) }))
    .toSorted((one, other) => one.far - other.far || (one.test < other.test ? -1 : 1))
    .map(({ test }) => test)
}

/** They hold all that comes out to a file, and notice most of what changes. */
const sharpest = /\/(condition-timelines|created-objects)\.test\.ts$/

/**
 * `thing.test.ts` is next to `thing.ts`, then `thing-in-trouble.test.ts` and `thing.properties.test.ts`; then come those
 * that notice most, its neighbours, and so on.
 */
export function distanceOf(test: string, target: string): number {
  const path = target.replace(/\.ts$/, '')
  if (test === `${path}.test.ts`) return 0
  if (test.startsWith(`${path}-`) || test.startsWith(`${path}.`)) return 0.25
  if (sharpest.test(test)) return 0.5
  return relative(dirname(target), dirname(test)).split('/').filter(Boolean).length + 1
}
