// The packages of this checkout, with what the code of each imports: what docs/architecture.md is drawn from.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'

export interface SourceFile {
  readonly path: string
  readonly text: string
}

export interface WorkspacePackage {
  /** The folder under `packages`, and the name behind `@portcullis/`. */
  readonly name: string
  readonly description: string
  readonly dependencies: Readonly<Record<string, string>>
  /** What its product code imports. */
  readonly imports: readonly Import[]
}

export interface Import {
  /** The file that imports, seen from the root. */
  readonly path: string
  /** What stands behind `from`. */
  readonly specifier: string
}

export interface Workspace {
  readonly packages: readonly WorkspacePackage[]
  /** `dependencies` of the package.json of the root: what is installed with the published command. */
  readonly rootDependencies: Readonly<Record<string, string>>
}

/** Tests, and what packages offer to tests under `src/testing`, are not part of the product. */
export function isProduct(path: string): boolean {
  return path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.includes('/src/testing/')
}

/** What a file imports: statically, with `import()`, as a type, and by re-exporting it. */
export function importsOf({ path, text }: SourceFile): readonly Import[] {
  const { program, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`)
  const found = new Set<string>()
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { source } = node as { source?: { value?: unknown } | null }
    if (typeof source?.value === 'string') found.add(source.value)
    for (const value of Object.values(node)) visit(value)
  }
  visit(program)
  return [...found].toSorted().map((specifier) => ({ path, specifier }))
}

interface PackageJson {
  readonly description?: string
  readonly dependencies?: Readonly<Record<string, string>>
}

export function readWorkspace(): Workspace {
  const packages = readdirSync('packages')
    .filter((name) => existsSync(join('packages', name, 'package.json')))
    .map((name) => {
      const { description = '', dependencies = {} } = readJson(join('packages', name, 'package.json'))
      const files = filesUnder(join('packages', name, 'src'), '.ts')
      const imports = files.filter(({ path }) => isProduct(path)).flatMap(importsOf)
      return { name, description, dependencies, imports }
    })
  return { packages, rootDependencies: readJson('package.json').dependencies ?? {} }
}

export function filesUnder(folder: string, ending: string): SourceFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }))
}

function readJson(path: string): PackageJson {
  return JSON.parse(readFileSync(path, 'utf8')) as PackageJson
}
