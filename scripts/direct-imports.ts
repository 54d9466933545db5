// For Vitest alone: lets a test load just the modules that it uses of another package. `index.ts` of a package names all
// that others may use; loading that for a single function would cost each test file a second.
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

interface ExportedName {
  readonly module: string
  readonly name: string
}

/** `export { a, type B, c as d } from './module.ts'`, as every index.ts has it. */
const reExport = /export \{([^}]*)\} from '(\.[^']+)'/g
const namedImport = /import \{([^}]*)\} from '@portcullis\/(\w+)(\/testing)?'/g

/** The names in braces; a type is gone once the code runs. */
function namesIn(braces: string): { name: string; as: string }[] {
  return braces
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '' && !each.startsWith('type '))
    .map((each) => {
      const [name = '', as = name] = each.split(/\s+as\s+/)
      return { name, as }
    })
}

function exportsOf(index: string): ReadonlyMap<string, ExportedName> {
  const found = new Map<string, ExportedName>()
  for (const [, braces = '', path = ''] of readFileSync(index, 'utf8').matchAll(reExport))
    for (const { name, as } of namesIn(braces)) found.set(as, { module: resolve(dirname(index), path), name })
  return found
}

/** The same code, with each name imported from the module that has it. */
export class DirectImports {
  readonly #indexes = new Map<string, ReadonlyMap<string, ExportedName>>()

  rewrite(code: string, file: string): string {
    return code.replaceAll(namedImport, (statement, braces: string, name: string, testing = '') => {
      const exported = this.#exportsOf(resolve('packages', name, 'src', testing.slice(1), 'index.ts'))
      const imports = namesIn(braces).map((wanted) => {
        const from = exported.get(wanted.name)
        if (from === undefined)
          throw new Error(`${file}: @portcullis/${name}${testing} has no ${wanted.name}`)
        return `import { ${from.name} as ${wanted.as} } from '${from.module}'`
      })
      // As many lines as before, so that an error is found where it is.
      return imports.join('; ') + '\n'.repeat(statement.split('\n').length - 1)
    })
  }

  #exportsOf(index: string): ReadonlyMap<string, ExportedName> {
    const known = this.#indexes.get(index) ?? exportsOf(index)
    this.#indexes.set(index, known)
    return known
  }
}

export function directImportsPlugin() {
  const imports = new DirectImports()
  return {
    name: 'direct-imports',
    enforce: 'pre' as const,
    transform(code: string, id: string) {
      if (!id.endsWith('.ts') || id.includes('node_modules')) return undefined
      return imports.rewrite(code, id)
    },
  }
}
