import {
  type Alias,
  isAlias,
  isMap,
  isScalar,
  LineCounter,
  type Node,
  type ParsedNode,
  parseDocument,
  visit,
  type YAMLError,
  type YAMLMap,
} from 'yaml'
import { byPosition, type Finding, type Rule, rules, shortened } from './finding.ts'
import { type Value, valueOf } from './value.ts'

/** What a text holds, and what is wrong with it as YAML. */
export interface Read {
  readonly root: Value
  readonly findings: readonly Finding[]
}

export function readYaml(text: string): Read {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false })
  const { targets, problems, quotes } = walk(document.contents)
  const complaints = [...document.errors, ...document.warnings].map((error) => explain(error, text, quotes))
  const findings = [...complaints, ...problems].map(({ offset, ...problem }): Finding => {
    const { line, column } = placeOf(offset, lines)
    return shortened({ severity: rules[problem.rule], path: '', line, column, ...problem })
  })
  const root = valueOf(document.contents, '', 0, { lines, targets, fields: new WeakMap() })
  return { root, findings: firstOfEachLine(findings.sort(byPosition)) }
}

function placeOf(offset: number, lines: LineCounter): { line: number; column: number } {
  const { line, col } = lines.linePos(offset)
  return { line: Math.max(line, 1), column: Math.max(col, 1) }
}

interface Problem {
  readonly offset: number
  readonly rule: Rule
  readonly value: string
  readonly message: string
}

/** The text at the error is not repeated: it may be a pull secret, and this is read in the logs of CI. */
function explain(
  { code, message, pos: [offset, end] }: YAMLError,
  text: string,
  quotes: Walk['quotes'],
): Problem {
  const problem = (message: string): Problem => ({ offset, rule: 'yaml-syntax', value: '', message })
  const opening = quotes.get(offset)
  if (code === 'TAB_AS_INDENT')
    return problem('This line is indented with a tab, which YAML forbids; use spaces.')
  if (code === 'MULTIPLE_DOCS')
    return problem('A second document begins here; put a single install-config into the file.')
  if (code === 'MISSING_CHAR' && opening !== undefined)
    return { ...problem('The quotation mark here is never closed; close it.'), offset: opening }
  if (code === 'TAG_RESOLVE_FAILED') {
    const tag = text.slice(offset, end)
    return { ...problem(`The tag ${tag} is not known; remove it.`), rule: 'yaml-tag', value: tag }
  }
  return problem(`YAML cannot be read here: ${message.split(': ')[0]}; correct this line.`)
}

/** One slip makes a parser complain several times; the first complaint of a line is the one that helps. */
function firstOfEachLine(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter((each, i) => each.rule !== 'yaml-syntax' || findings[i - 1]?.line !== each.line)
}

interface Walk {
  readonly targets: ReadonlyMap<Alias, Node>
  readonly problems: readonly Problem[]
  /** Where quoted texts begin, by where they end. */
  readonly quotes: ReadonlyMap<number, number>
}

/** Finds what every alias stands for, and keys that a map has twice; in one pass, however large the file is. */
function walk(contents: ParsedNode | null): Walk {
  const anchors = new Map<string, Node>()
  const targets = new Map<Alias, Node>()
  const problems: Problem[] = []
  const quotes = new Map<number, number>()
  visit(contents, {
    Node(_, node, ancestors) {
      if (isMap(node)) problems.push(...repeatedKeys(node))
      if (isScalar(node) && node.range && node.type?.startsWith('QUOTE'))
        quotes.set(node.range[1], node.range[0])
      if (!isAlias(node)) {
        if (node.anchor) anchors.set(node.anchor, node)
        return
      }
      const target = anchors.get(node.source)
      const problem = target === undefined ? noAnchor : ancestors.includes(target) ? partOfItself : undefined
      if (target !== undefined && problem === undefined) targets.set(node, target)
      if (problem === undefined) return
      const { source, range } = node
      problems.push({
        offset: range?.[0] ?? 0,
        rule: 'yaml-alias',
        value: `*${source}`,
        message: problem(source),
      })
    },
  })
  return { targets, problems, quotes }
}

function noAnchor(name: string): string {
  return `The alias *${name} has no anchor before it; write &${name} before the value that it stands for.`
}

function partOfItself(name: string): string {
  return `The alias *${name} stands for a value that it is a part of; write out what you mean.`
}

function repeatedKeys(map: YAMLMap): readonly Problem[] {
  const seen = new Set<string>()
  return map.items.flatMap(({ key }): Problem[] => {
    if (!isScalar(key)) return []
    const name = String(key.value)
    const isRepeated = seen.has(name)
    seen.add(name)
    const message = `The key ${name} stands in this map a second time; keep one of the two.`
    return isRepeated
      ? [{ offset: key.range?.[0] ?? 0, rule: 'yaml-duplicate-key', value: name, message }]
      : []
  })
}
