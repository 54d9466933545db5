import { parseSync } from 'oxc-parser'

/** A node of the syntax tree, as far as anything here looks into it; `start` and `end` are places in the source. */
export interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

/** Types have no effect when the code runs. */
const ofTypes = new Set([
  'typeAnnotation',
  'typeArguments',
  'typeParameters',
  'returnType',
  'superTypeArguments',
  'implements',
])
const valuesAmongTypes = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSInstantiationExpression',
])

export function parse(file: string, source: string): SyntaxNode {
  const { program, errors } = parseSync(file, source)
  const [error] = errors
  if (error !== undefined) throw new Error(`${file} cannot be parsed: ${error.message}`)
  return program as unknown as SyntaxNode
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

/** The nodes right below, without those that only say something about types. */
export function childrenOf(node: SyntaxNode): [field: string, child: SyntaxNode][] {
  return Object.entries(node).flatMap(([field, value]) =>
    ofTypes.has(field)
      ? []
      : [value]
          .flat()
          .filter(isNode)
          .filter(({ type }) => !type.startsWith('TS') || valuesAmongTypes.has(type))
          .map((child): [string, SyntaxNode] => [field, child]),
  )
}
