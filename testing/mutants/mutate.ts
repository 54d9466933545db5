import { replacementsOf } from './mutators.ts'
import { childrenOf, parse, type SyntaxNode } from './syntax.ts'

/** One small change of one file. */
export interface Mutant {
  readonly id: number
  readonly file: string
  readonly line: number
  /** The line of the source on which it begins. */
  readonly code: string
  readonly original: string
  readonly replacement: string
  readonly isStatement: boolean
  /** Whether a statement begins with it. */
  readonly isFirst: boolean
  readonly start: number
  readonly end: number
}

/** All mutants of a file, in the order of their places. */
export function mutantsOf(file: string, source: string, firstId = 0): Mutant[] {
  const mutants: Mutant[] = []
  const visit = (
    node: SyntaxNode,
    parent: SyntaxNode | undefined,
    field: string,
    chain?: SyntaxNode,
    outer = -1,
  ): void => {
    if (/^(Import|Export(All|Named))/.test(node.type) && node['declaration'] == null) return
    const { start, end } = chain ?? node
    const statement = node.type === 'ExpressionStatement' ? node.start : outer
    const [before, after] = [source.slice(start, node.start), source.slice(node.end, end)]
    for (const { text, isStatement = false } of replacementsOf({ node, parent, field, source })) {
      const line = source.slice(0, start).split('\n').length
      mutants.push({
        id: 0,
        file,
        line,
        code: source.split('\n')[line - 1]?.trim() ?? '',
        original: source.slice(start, end),
        replacement: before + text + after,
        isStatement,
        isFirst: start === statement,
        start,
        end,
      })
    }
    for (const [name, child] of childrenOf(node))
      visit(child, node, name, chainAround(child, node, chain), statement)
  }
  visit(parse(file, source), undefined, '')
  return mutants
    .toSorted((one, other) => one.start - other.start || other.end - one.end)
    .map((mutant, index) => ({ ...mutant, id: firstId + index }))
}

const links = new Set(['CallExpression', 'MemberExpression', 'TSNonNullExpression'])

/** A link of `a?.b.c` cannot be put in brackets: where there is no `a`, the rest is left out with it. So the whole chain is replaced. */
function chainAround(
  child: SyntaxNode,
  parent: SyntaxNode,
  chain: SyntaxNode | undefined,
): SyntaxNode | undefined {
  if (!links.has(child.type)) return undefined
  if (parent.type === 'ChainExpression') return parent
  const isNext = child === (parent['object'] ?? parent['callee'] ?? parent['expression'])
  return isNext ? chain : undefined
}

/**
 * The source with all of its mutants at once, each of which has an effect while `__isMutant` says so of its number: to go
 * from one to the next, nothing has to be loaded again.
 */
export function instrument(source: string, mutants: readonly Mutant[]): string {
  let position = 0
  let next = 0
  const upTo = (end: number): string => {
    let text = ''
    for (let first = mutants[next]; first !== undefined && first.start < end; first = mutants[next]) {
      text += source.slice(position, first.start)
      position = first.start
      const here: Mutant[] = []
      for (
        let one = mutants[next];
        one?.start === first.start && one.end === first.end;
        one = mutants[next]
      ) {
        here.push(one)
        next++
      }
      const inner = upTo(first.end)
      text += switched(here, inner)
    }
    text += source.slice(position, end)
    position = end
    return text
  }
  return upTo(source.length)
}

/** An expression may be a statement by itself: then it has mutants as both. */
function switched(here: readonly Mutant[], inner: string): string {
  const statement = here.find(({ isStatement }) => isStatement)
  const mutants = here.filter((mutant) => mutant !== statement)
  if (statement !== undefined) return `{ if (!__isMutant(${statement.id})) { ${switched(mutants, inner)} } }`
  if (mutants.length === 0) return inner
  const choices = mutants.map(({ id, replacement }) => `__isMutant(${id}) ? (${replacement}) : `)
  return `(${choices.join('')}(${inner}))`
}
