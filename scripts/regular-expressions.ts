import { parseSync } from 'oxc-parser'
import type { Diagnostics } from 'recheck'
import type { Allowed } from './allowed-regular-expressions.ts'

/** A regular expression in code; `pattern` is undefined where it is put together at run time. */
export interface FoundExpression {
  readonly file: string
  readonly line: number
  /** As it stands in the code: this names it in the list of those that are allowed. */
  readonly source: string
  readonly pattern: string | undefined
  readonly flags: string
}

/** Every literal, `new RegExp(…)` and `RegExp(…)` in a file, found by a parser and not by another expression. */
export function expressionsIn(file: string, text: string): FoundExpression[] {
  const found: FoundExpression[] = []
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const each of node) visit(each)
    if (!isNode(node)) return
    const expression = asExpression(node)
    if (expression !== undefined) {
      const line = text.slice(0, node.start).split('\n').length
      found.push({ file, line, source: text.slice(node.start, node.end), ...expression })
    }
    for (const value of Object.values(node)) if (typeof value === 'object') visit(value)
  }
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  visit(program)
  return found
}

interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly regex?: { readonly pattern: string; readonly flags: string } | null
  readonly callee?: { readonly type: string; readonly name?: string }
  readonly arguments?: readonly SyntaxNode[]
  readonly value?: unknown
  readonly quasis?: readonly { readonly value: { readonly cooked: string } }[]
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

function asExpression(node: SyntaxNode): Pick<FoundExpression, 'pattern' | 'flags'> | undefined {
  if (node.type === 'Literal' && node.regex) return node.regex
  const isCall = node.type === 'NewExpression' || node.type === 'CallExpression'
  if (!isCall || node.callee?.type !== 'Identifier' || node.callee.name !== 'RegExp') return undefined
  const [pattern, flags] = (node.arguments ?? []).map(constantText)
  return { pattern, flags: flags ?? '' }
}

function constantText(node: SyntaxNode): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  return node.type === 'TemplateLiteral' && node.quasis?.length === 1
    ? node.quasis[0]?.value.cooked
    : undefined
}

/** What the checker may think about one expression. Most take a few milliseconds; a busy machine must not decide. */
const timeoutMs = 60_000

/** What is wrong with expressions that are not allowed, and with allowances that nothing needs; a sentence each. */
export async function slowExpressions(
  found: readonly FoundExpression[],
  allowed: readonly Allowed[],
): Promise<string[]> {
  // Not the programs of its own that the package brings for some machines.
  process.env['RECHECK_SYNC_BACKEND'] = 'pure'
  const { checkSync } = await import('recheck')
  const isFor = ({ file, begins }: Allowed, expression: FoundExpression) =>
    file === expression.file && expression.source.startsWith(begins)
  const unreviewed = found.filter((expression) => !allowed.some((each) => isFor(each, expression)))
  const verdicts = new Map<string, string | undefined>()
  const verdictOn = ({ pattern, flags }: FoundExpression) => {
    if (pattern === undefined) return 'is put together at run time, so that nobody can judge it'
    const key = `/${pattern}/${flags}`
    if (!verdicts.has(key)) verdicts.set(key, verdictOf(checkSync(pattern, flags, { timeout: timeoutMs })))
    return verdicts.get(key)
  }
  return [
    ...unreviewed.flatMap((expression) => {
      const verdict = verdictOn(expression)
      const { file, line, source } = expression
      return verdict === undefined
        ? []
        : [
            `${file}:${line}: ${source} ${verdict}. Write it so that it needs no search, or say in scripts/allowed-regular-expressions.ts why it may stay.`,
          ]
    }),
    ...allowed
      .filter((each) => !found.some((expression) => isFor(each, expression)))
      .map(
        ({ file, begins }) =>
          `${file}: nothing begins with ${begins}: remove it from scripts/allowed-regular-expressions.ts.`,
      ),
  ]
}

function verdictOf(diagnostics: Diagnostics): string | undefined {
  switch (diagnostics.status) {
    case 'safe':
      return undefined
    case 'vulnerable':
      return `takes more than linear time (${diagnostics.complexity.summary}), with ${diagnostics.attack.pattern}`
    case 'unknown':
      return `could not be judged (${diagnostics.error.kind})`
  }
}
