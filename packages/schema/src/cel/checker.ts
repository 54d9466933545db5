import type { ASTNode } from '@marcbachmann/cel-js'
import { dyn, literal, printed, type Type, typeOf } from './expression-type.ts'
import { escapeName } from './source.ts'

type Scope = ReadonlyMap<string, Type>

const namespaces = new Set([
  'ip',
  'cidr',
  'sets',
  'strings',
  'format',
  'optional',
  'cel',
  'math',
  'base64',
  'lists',
  'regex',
])
const typeNames = new Set([
  'int',
  'uint',
  'double',
  'string',
  'bool',
  'bytes',
  'list',
  'map',
  'null_type',
  'type',
  'dyn',
  'timestamp',
  'duration',
  'google',
])
const loops = new Set(['all', 'exists', 'exists_one', 'existsOne', 'map', 'filter'])
const booleanMethods = new Set(['startsWith', 'endsWith', 'contains', 'matches', 'hasValue', 'isSorted'])
const comparisons = new Set(['<', '<=', '>', '>='])
const numeric = new Set(['int', 'double'])

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

const functionNames = words(`
  has size int uint double string bool bytes dyn type duration timestamp matches isIP ip isCIDR cidr isURL url
  isQuantity quantity isSemver semver`)

const stringMethods = words('startsWith endsWith contains matches find')

const methodNames = words(`
  size startsWith endsWith contains matches find findAll split join replace charAt indexOf lastIndexOf substring
  lowerAscii upperAscii trim format isSorted sum min max slice flatten distinct sort reverse sortBy first last
  family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast containsIP containsCIDR ip
  masked prefixLength getScheme getHost getHostname getPort getEscapedPath getQuery sign isInteger asInteger
  asApproximateFloat add sub isGreaterThan isLessThan compareTo major minor patch validate hasValue value orValue or
  getFullYear getMonth getDate getDayOfMonth getDayOfWeek getDayOfYear getHours getMinutes getSeconds getMilliseconds
  optMap optFlatMap all exists exists_one existsOne map filter transformList transformMap transformMapEntry getOwnPropertyNames`)

/** Follows the types through an expression, and collects what is wrong with it. */
export class Checker {
  readonly problems: string[] = []
  readonly #source: string
  readonly #moreMethods: ReadonlySet<string>

  constructor(source: string, moreMethods: ReadonlySet<string> = new Set()) {
    this.#source = source
    this.#moreMethods = moreMethods
  }

  check(node: ASTNode, scope: Scope): Type {
    switch (node.op) {
      case 'value':
        return literal(node.args)
      case 'id':
        return this.#identifier(node.args, node.range.start, scope)
      case '.':
      case '.?':
        return this.#select(node, scope)
      case '[]':
      case '[?]':
        return this.#index(node.args, node.op === '[?]', scope)
      case 'call':
        return this.#call(node.args[0], node.args[1], node, scope)
      case 'rcall':
        return this.#method(node.args[0], node.args[1], node.args[2], node, scope)
      case 'list': {
        const types = node.args.map((item) => this.check(item, scope))
        const [first] = types
        const same = first !== undefined && types.every(({ kind }) => kind === first.kind)
        return { kind: 'list', items: same ? first : dyn }
      }
      case 'map': {
        for (const [key, value] of node.args) {
          this.check(key, scope)
          this.check(value, scope)
        }
        return dyn
      }
      case '?:': {
        const [condition, yes, no] = node.args
        this.check(condition, scope)
        const [a, b] = [this.check(yes, scope), this.check(no, scope)]
        return a.kind === b.kind ? a : dyn
      }
      case '!_':
        this.check(node.args, scope)
        return { kind: 'bool' }
      case '-_':
        return this.check(node.args, scope)
      case '||':
      case '&&':
        this.check(node.args[0], scope)
        this.check(node.args[1], scope)
        return { kind: 'bool' }
      case '==':
      case '!=':
      case 'in':
      case '+':
      case '-':
      case '*':
      case '/':
      case '%':
      case '<':
      case '<=':
      case '>':
      case '>=':
      default:
        return this.#binary(node.op, node.args, scope)
    }
  }

  #add(offset: number, text: string): void {
    this.problems.push(at(this.#source, offset, text))
  }

  #identifier(name: string, offset: number, scope: Scope): Type {
    const known = scope.get(name)
    if (known !== undefined) return known
    if (!typeNames.has(name) && !namespaces.has(name))
      this.#add(offset, `undeclared reference to '${name}' (in container '')`)
    return dyn
  }

  /** `has()` points at its own parenthesis. */
  #select(node: Extract<ASTNode, { op: '.' | '.?' }>, scope: Scope, offset?: number): Type {
    const [object, name] = node.args
    const type = this.check(object, scope)
    const where = offset ?? this.#source.indexOf('.', object.range.end)
    const found = this.#field(type, name, where)
    return node.op === '.?' ? dyn : found
  }

  #field(type: Type, name: string, offset: number): Type {
    if (type.kind === 'dyn') return dyn
    if (type.kind === 'map') return type.values
    if (type.kind !== 'object') {
      const text = printed(type)
      if (text !== undefined) this.#add(offset, `type '${text}' does not support field selection`)
      return dyn
    }
    // A reserved word may be written as it is, too.
    for (const [key, property] of Object.entries(type.schema.properties ?? {}))
      if (escapeName(key) === name || key === name) return typeOf(property)
    if (type.schema['x-kubernetes-embedded-resource'] !== true) this.#add(offset, `undefined field '${name}'`)
    return dyn
  }

  #index([object, index]: readonly [ASTNode, ASTNode], optional: boolean, scope: Scope): Type {
    const type = this.check(object, scope)
    this.check(index, scope)
    if (optional) return dyn
    return type.kind === 'list' ? type.items : type.kind === 'map' ? type.values : dyn
  }

  #call(name: string, args: readonly ASTNode[], node: ASTNode, scope: Scope): Type {
    const [first] = args
    const parenthesis = this.#source.indexOf('(', node.range.start)
    if (name === 'has' && first?.op === '.') {
      this.#select(first, scope, parenthesis)
      return { kind: 'bool' }
    }
    if (!functionNames.has(name))
      this.#add(parenthesis, `undeclared reference to '${name}' (in container '')`)
    for (const argument of args) this.check(argument, scope)
    if (name === 'size' || name === 'int') return { kind: 'int' }
    if (name === 'string') return { kind: 'string' }
    if (name === 'double') return { kind: 'double' }
    return /^is[A-Z]/.test(name) || name === 'has' || name === 'bool' ? { kind: 'bool' } : dyn
  }

  #method(name: string, object: ASTNode, args: readonly ASTNode[], node: ASTNode, scope: Scope): Type {
    if (object.op === 'id' && namespaces.has(object.args) && !scope.has(object.args)) {
      if (object.args === 'cel') return dyn
      for (const argument of args) this.check(argument, scope)
      return dyn
    }
    const type = this.check(object, scope)
    if (loops.has(name) && args.length >= 2) return this.#loop(name, type, args, scope)
    // An optional's own variable, as in `optMap(x, …)`.
    if (name === 'optMap' || name === 'optFlatMap') return dyn
    const types = args.map((argument) => this.check(argument, scope))
    const parenthesis = this.#source.indexOf('(', this.#source.indexOf(name, object.range.end))
    if (!methodNames.has(name) && !this.#moreMethods.has(name)) {
      this.#add(
        parenthesis < 0 ? node.range.start : parenthesis,
        `undeclared reference to '${name}' (in container '')`,
      )
      return dyn
    }
    if (stringMethods.has(name) && type.kind === 'string') {
      const wrong = types.some(({ kind }) => kind !== 'string' && kind !== 'dyn')
      const given = types.map(printed)
      if (wrong && !given.includes(undefined))
        this.#add(
          parenthesis,
          `found no matching overload for '${name}' applied to 'string.(${given.join(', ')})'`,
        )
    }
    if (booleanMethods.has(name)) return { kind: 'bool' }
    return name === 'size' ? { kind: 'int' } : dyn
  }

  #loop(name: string, type: Type, args: readonly ASTNode[], scope: Scope): Type {
    const [variable, ...bodies] = args
    if (variable?.op !== 'id') return dyn
    const item: Type = type.kind === 'list' ? type.items : type.kind === 'map' ? { kind: 'string' } : dyn
    const inner = new Map([...scope, [variable.args, item]])
    // With two variables the second is the value.
    const [second, third] = bodies
    if (name !== 'map' && second?.op === 'id' && third !== undefined) {
      inner.set(variable.args, dyn)
      inner.set(second.args, dyn)
      this.check(third, inner)
      return name === 'filter' ? dyn : { kind: 'bool' }
    }
    const results = bodies.map((body) => this.check(body, inner))
    if (name === 'map') return { kind: 'list', items: results.at(-1) ?? dyn }
    return name === 'filter' ? type : { kind: 'bool' }
  }

  #binary(op: string, [left, right]: readonly [ASTNode, ASTNode], scope: Scope): Type {
    const [a, b] = [this.check(left, scope), this.check(right, scope)]
    const [x, y] = [printed(a), printed(b)]
    const isKnown = a.kind !== 'dyn' && b.kind !== 'dyn' && x !== undefined && y !== undefined
    const scalar = !['list', 'map', 'object'].includes(a.kind) && !['list', 'map', 'object'].includes(b.kind)
    const isComparison = comparisons.has(op)
    const isEquality = op === '==' || op === '!='
    const mixes = isComparison && numeric.has(a.kind) && numeric.has(b.kind)
    const isTime = [a.kind, b.kind].some((kind) => kind === 'timestamp' || kind === 'duration')
    if (
      op !== 'in' &&
      isKnown &&
      scalar &&
      a.kind !== b.kind &&
      !mixes &&
      (!isTime || isEquality || isComparison)
    ) {
      const offset = this.#source.indexOf(op, left.range.end)
      this.#add(offset, `found no matching overload for '_${op}_' applied to '(${x}, ${y})'`)
    }
    if (op === 'in' || isComparison || isEquality) return { kind: 'bool' }
    return isKnown && a.kind === b.kind ? a : dyn
  }
}

/** An error where it is, with the line and a mark under it. */
export function at(source: string, offset: number, text: string): string {
  const before = source.slice(0, offset)
  const line = before.split('\n').length
  const column = offset - (before.lastIndexOf('\n') + 1)
  const shown = source.split('\n')[line - 1] ?? ''
  return `ERROR: <input>:${line}:${column + 1}: ${text}\n | ${shown}\n | ${'.'.repeat(column)}^`
}
