import { isNode, type SyntaxNode } from './syntax.ts'

/** Another text for a node. */
export interface Replacement {
  readonly text: string
  /** Whether a statement is replaced; else it is an expression. */
  readonly isStatement?: boolean
}

interface NodeContext {
  readonly node: SyntaxNode
  readonly parent: SyntaxNode | undefined
  /** The field of the parent in which the node stands. */
  readonly field: string
  readonly source: string
}

const negated: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '==': '!=',
  '!=': '==',
  '<': '>=',
  '>=': '<',
  '>': '<=',
  '<=': '>',
}
const atTheBoundary: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' }
const arithmetic: Readonly<Record<string, string>> = { '+': '-', '-': '+', '*': '/', '/': '*', '%': '*' }
const assigned: Readonly<Record<string, string>> = { '+=': '-=', '-=': '+=' }

/** Calls that are left out: what they were called on is taken as it is. */
const leftOut = new Set([
  'filter',
  'slice',
  'sort',
  'toSorted',
  'reverse',
  'toReversed',
  'trim',
  'replaceAll',
])
const exchanged: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  min: 'max',
  max: 'min',
  toLowerCase: 'toUpperCase',
}

const conditional = new Set(['IfStatement', 'ConditionalExpression'])
const loops = new Set(['WhileStatement', 'DoWhileStatement', 'ForStatement'])
const functions = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])

/** What a node could be by mistake. Each stands for a rule that nobody would miss if no test fails by it. */
export function replacementsOf(place: NodeContext): Replacement[] {
  const { node, parent, field } = place
  return [
    ...(field === 'test' && parent && conditional.has(parent.type)
      ? [{ text: 'true' }, { text: 'false' }]
      : []),
    ...(field === 'test' && parent && loops.has(parent.type) ? [{ text: 'false' }] : []),
    ...(field === 'body' && parent?.type === 'ArrowFunctionExpression' && node.type !== 'BlockStatement'
      ? [{ text: 'undefined' }]
      : []),
    ...(byType[node.type]?.(place) ?? []),
  ]
}

const byType: Readonly<Record<string, (place: NodeContext) => Replacement[]>> = {
  LogicalExpression: ({ node, source }) => [
    { text: sourceOf(node.left, source) },
    { text: sourceOf(node.right, source) },
  ],
  BinaryExpression: binary,
  AssignmentExpression: ({ node, source }) => withOperator(node, assigned, source),
  UnaryExpression: ({ node, source }) =>
    node.operator === '!' || node.operator === '-' ? [{ text: sourceOf(node.argument, source) }] : [],
  UpdateExpression: ({ node, source }) => [
    { text: source.slice(node.start, node.end).replace(/\+\+|--/, (sign) => (sign === '++' ? '--' : '++')) },
  ],
  Literal: literal,
  TemplateLiteral: ({ node, parent }) =>
    parent?.type === 'TaggedTemplateExpression' || isProse(node.quasis) ? [] : [{ text: "''" }],
  ArrayExpression: ({ node }) => (isEmpty(node.elements) ? [] : [{ text: '[]' }]),
  ObjectExpression: ({ node }) => (isEmpty(node.properties) ? [] : [{ text: '{}' }]),
  ChainExpression: ({ node, parent, source }) =>
    parent?.type === 'UnaryExpression' ? [] : withoutQuestions(node, source),
  CallExpression: call,
  ExpressionStatement: ({ node }) => (node.directive ? [] : [{ text: '', isStatement: true }]),
  BlockStatement: ({ node, parent, field }) =>
    field === 'body' && parent && functions.has(parent.type) && !isEmpty(node.body)
      ? [{ text: '', isStatement: true }]
      : [],
}

function binary({ node, parent, field, source }: NodeContext): Replacement[] {
  const isTest = field === 'test' && parent !== undefined && conditional.has(parent.type)
  return [
    ...(isTest ? [] : withOperator(node, negated, source)),
    ...withOperator(node, atTheBoundary, source),
    ...(isText(node.left) || isText(node.right) ? [] : withOperator(node, arithmetic, source)),
  ]
}

function withOperator(
  { left, right, operator }: SyntaxNode,
  others: Readonly<Record<string, string>>,
  source: string,
): Replacement[] {
  const other = Object.hasOwn(others, String(operator)) ? others[String(operator)] : undefined
  return other === undefined
    ? []
    : [{ text: `${sourceOf(left, source)} ${other} ${sourceOf(right, source)}` }]
}

function literal({ node, parent, field }: NodeContext): Replacement[] {
  const isKey = field === 'key' && parent?.['computed'] !== true
  if (isKey || parent?.type.endsWith('Declaration') === true) return []
  const { value, regex } = node
  if (regex !== undefined) return withoutAnchors(node['raw'] as string)
  if (typeof value === 'boolean') return [{ text: String(!value) }]
  if (typeof value === 'number') return [{ text: String(value + 1) }]
  if (typeof value !== 'string' || /\s/.test(value)) return []
  return [{ text: value === '' ? "'mutated'" : "''" }]
}

function withoutAnchors(pattern: string): Replacement[] {
  const end = pattern.lastIndexOf('/')
  return [
    ...(pattern.startsWith('/^') ? [{ text: `/${pattern.slice(2)}` }] : []),
    ...(pattern[end - 1] === '$' ? [{ text: pattern.slice(0, end - 1) + pattern.slice(end) }] : []),
  ]
}

function call({ node, source }: NodeContext): Replacement[] {
  const { callee } = node
  if (!isNode(callee) || callee.type !== 'MemberExpression' || callee['computed'] === true) return []
  const { object, property } = callee
  if (!isNode(object) || !isNode(property)) return []
  const name = sourceOf(property, source)
  const other = Object.hasOwn(exchanged, name) ? exchanged[name] : undefined
  if (leftOut.has(name)) return [{ text: sourceOf(object, source) }]
  if (other === undefined) return []
  return [{ text: source.slice(node.start, property.start) + other + source.slice(property.end, node.end) }]
}

/** Each `?.` without its question. */
function withoutQuestions(chain: SyntaxNode, source: string): Replacement[] {
  const replacements: Replacement[] = []
  for (
    let link: unknown = chain['expression'];
    isNode(link);
    link = link['object'] ?? link['callee'] ?? link['expression']
  ) {
    const before = link['object'] ?? link['callee']
    if (link['optional'] !== true || !isNode(before)) continue
    const at = source.indexOf('?.', before.end)
    const dot = link.type === 'CallExpression' || link['computed'] === true ? '' : '.'
    replacements.push({ text: source.slice(chain.start, at) + dot + source.slice(at + 2, chain.end) })
  }
  return replacements
}

/** Sentences are for people: whether one is right, no test can show that does not repeat it. */
function isProse(quasis: unknown): boolean {
  return (quasis as { value: { raw: string } }[]).some(({ value }) => /\s/.test(value.raw))
}

function isText(node: unknown): boolean {
  return isNode(node) && (node.type === 'TemplateLiteral' || typeof node['value'] === 'string')
}

function isEmpty(list: unknown): boolean {
  return (list as unknown[]).length === 0
}

function sourceOf(node: unknown, source: string): string {
  return isNode(node) ? source.slice(node.start, node.end) : ''
}
