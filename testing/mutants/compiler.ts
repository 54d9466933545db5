import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { Mutant } from './mutate.ts'

/** A program has as much memory as it has files: they are looked at in pieces. */
const atOnce = 1500

/**
 * The mutants that the compiler turns away: nobody can make such a mistake, as `npm test` would not even begin. They are
 * no business of the tests, and count nowhere.
 */
export function rejectedByCompiler(mutants: readonly Mutant[]): Set<number> {
  const found = new Set<number>()
  for (let first = 0; first < mutants.length; first += atOnce)
    for (const id of rejectedTogether(mutants.slice(first, first + atOnce))) found.add(id)
  return found
}

/** Each mutant is a file of its own, in a folder of its own so that nothing else looks at it, which imports what the file itself does. */
function rejectedTogether(mutants: readonly Mutant[]): number[] {
  const folder = mkdtempSync(resolve('.mutants-'))
  try {
    const sources = new Map(
      [...new Set(mutants.map(({ file }) => file))].map((file) => [file, readFileSync(file, 'utf8')]),
    )
    const write = (file: string, name: string, source: string) => {
      const path = join(folder, dirname(file), `${basename(file, '.ts')}.${name}.ts`)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, importedFrom(source, dirname(file), relative(resolve('.'), dirname(path))))
    }
    for (const [file, source] of sources) write(file, 'original', source)
    for (const mutant of mutants)
      write(mutant.file, String(mutant.id), withMutant(sources.get(mutant.file) ?? '', mutant))
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
    const wrong = filesWithErrors(folder)
    return mutants
      .filter(({ file, id }) => {
        const path = file.replace(/\.ts$/, '')
        // A copy may be wrong as such: of a class with private fields there can be no other.
        return wrong.has(`${path}.${id}.ts`) && !wrong.has(`${path}.original.ts`)
      })
      .map(({ id }) => id)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** What is only untidy is not wrong. */
const settings = {
  extends: '../tsconfig.json',
  compilerOptions: {
    noUnusedLocals: false,
    noUnusedParameters: false,
    allowUnreachableCode: true,
    allowUnusedLabels: true,
  },
  include: ['packages'],
}

export function withMutant(
  source: string,
  { start, end, replacement, isStatement, isFirst }: Mutant,
): string {
  // A statement that begins with a bracket would be taken for the end of the one before it.
  const text = isStatement ? '{}' : `${isFirst ? ';' : ''}(${replacement})`
  return source.slice(0, start) + text + source.slice(end)
}

/** The same imports from another folder. */
function importedFrom(source: string, folder: string, other: string): string {
  return source.replaceAll(/(from |import\()'(\.[^']+)'/g, (_, before: string, path: string) => {
    return `${before}'${relative(other, join(folder, path))}'`
  })
}

function filesWithErrors(folder: string): Set<string> {
  const options = ['--pretty', 'false', '--project', folder]
  const { stdout, stderr, status } = spawnSync('npx', ['--no-install', 'tsc', ...options], {
    encoding: 'utf8',
    maxBuffer: 1e9,
  })
  const places = [...stdout.matchAll(/^(\S+?)\(\d+,\d+\): error/gm)].map(([, file]) => file ?? '')
  const files = new Set(places.map((file) => relative(folder, resolve(file))))
  const isOurs = [...files].every((file) => !file.startsWith('..'))
  if (!isOurs || (status !== 0 && files.size === 0)) throw new Error(`tsc fails: ${stdout}${stderr}`)
  return files
}
