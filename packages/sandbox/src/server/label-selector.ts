import { badRequest } from './api-status.ts'

type Labels = Readonly<Record<string, string>>
type Requirement = (labels: Labels) => boolean

/** Parses a label selector as it stands in a query (`app=web,tier in (a, b),!old`); throws 400 in the server's words. */
export function parseLabelSelector(text: string): Requirement {
  const parser = new Parser(tokensOf(text))
  const requirements = parser.requirements()
  return (labels) => requirements.every((holds) => holds(labels))
}

/** Operators and names; white space separates. */
function tokensOf(text: string): string[] {
  return text.match(/==|!=|[=!(),<>]|[^\s=!(),<>]+/g) ?? []
}

const operators = new Set(['=', '==', '!=', '(', ')', ',', '<', '>', '!'])

class Parser {
  readonly #tokens: string[]

  constructor(tokens: string[]) {
    this.#tokens = tokens
  }

  requirements(): Requirement[] {
    if (this.#tokens.length === 0) return []
    const requirements = [this.#requirement()]
    while (this.#tokens.length > 0) {
      const token = this.#take()
      if (token !== ',') throw unparsable(`found '${token}', expected: ',' or 'end of string'`, '')
      if (this.#tokens.length === 0) throw unparsable("found '', expected: identifier after ','", '')
      requirements.push(this.#requirement())
    }
    return requirements
  }

  #requirement(): Requirement {
    const isNegated = this.#tokens[0] === '!'
    if (isNegated) this.#take()
    const key = this.#identifier()
    if (isNegated) return (labels) => !Object.hasOwn(labels, key)
    const operator = this.#tokens[0]
    if (operator === undefined || operator === ',') return (labels) => Object.hasOwn(labels, key)
    this.#take()
    switch (operator) {
      case '=':
      case '==': {
        const value = this.#value()
        return (labels) => labels[key] === value
      }
      case '!=': {
        const value = this.#value()
        return (labels) => labels[key] !== value
      }
      case '<':
      case '>': {
        const bound = Number(this.#value())
        return (labels) =>
          Object.hasOwn(labels, key) &&
          (operator === '<' ? Number(labels[key]) < bound : Number(labels[key]) > bound)
      }
      case 'in': {
        const values = this.#values()
        return (labels) => Object.hasOwn(labels, key) && values.has(labels[key] ?? '')
      }
      case 'notin': {
        const values = this.#values()
        return (labels) => !Object.hasOwn(labels, key) || !values.has(labels[key] ?? '')
      }
      default:
        throw unparsable(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`)
    }
  }

  #identifier(): string {
    const token = this.#take()
    if (token === '' || operators.has(token)) throw unparsable(`found '${token}', expected: identifier`)
    return token
  }

  /** May be empty: `a=` asks for a label without a value. */
  #value(): string {
    const token = this.#tokens[0]
    if (token === undefined || token === ',') return ''
    return this.#identifier()
  }

  #values(): Set<string> {
    const open = this.#take()
    if (open !== '(') throw unparsable(`found '${open}' expected: '('`)
    const values = new Set<string>()
    for (;;) {
      const token = this.#take()
      if (token === ')') return values.size === 0 ? values.add('') : values
      if (token === ',') values.add('')
      else if (token === '' || operators.has(token))
        throw unparsable(`found '${token}', expected: ',', ')' or identifier`)
      else {
        values.add(token)
        if (this.#tokens[0] === ',') this.#take()
      }
    }
  }

  #take(): string {
    return this.#tokens.shift() ?? ''
  }
}

function unparsable(problem: string, prefix = 'unable to parse requirement: ') {
  return badRequest(`${prefix}${problem}`)
}
