import { type Alias, isAlias, isMap, isScalar, LineCounter, type Node, type ParsedNode, parseDocument } from 'yaml'
import { visit, type YAMLError, type YAMLMap } from 'yaml'
import { byPosition, type Finding, type Rule, rules } from './finding.ts'
import { type Value, valueOf } from './value.ts'

/** What a text holds, and what is wrong with it as YAML. */
export interface Read {
  readonly root: Value
  readonly findings: readonly Finding[]
}

/** @throws RangeError where the text is nested too deeply for the parser */
export function readYaml(text: string): Read {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false })
  const { targets, problems } = walk(document.contents)
  const complaints = [...document.errors, ...document.warnings].map((error) => explain(error, text))
  const findings = [...complaints, ...problems].map(({ offset, ...problem }): Finding => {
    const { line, column } = placeOf(offset, lines)
    return { severity: rules[problem.rule], path: '', line, column, ...problem }
  })
  const root = valueOf(document.contents, '', 0, { lines, targets })
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

function explain({ code, message, pos: [start, end] }: YAMLError, text: string): Problem {
  const [value = ''] = text.slice(start, end).split('\n')
  const problem = (rule: Rule, message: string) => ({ offset: start, rule, value: value.trim(), message })
  switch (code) {
    case 'TAB_AS_INDENT':
      return problem('yaml-syntax', 'This line is indented with a tab, which YAML forbids; use spaces.')
    case 'MULTIPLE_DOCS':
      return problem('yaml-syntax', 'A second document begins here; put a single install-config into the file.')
    case 'TAG_RESOLVE_FAILED':
      return problem('yaml-tag', `The tag ${value.trim()} is not known; remove it.`)
    default:
      return problem('yaml-syntax', `YAML cannot be read here: ${message}; correct this line.`)
  }
}

/** One slip makes a parser complain several times; the first complaint of a line is the one that helps. */
function firstOfEachLine(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter((each, i) => each.rule !== 'yaml-syntax' || findings[i - 1]?.line !== each.line)
}

interface Walk {
  readonly targets: ReadonlyMap<Alias, Node>
  readonly problems: readonly Problem[]
}

/** Finds what every alias stands for, and keys that a map has twice; in one pass, however large the file is. */
function walk(contents: ParsedNode | null): Walk {
  const anchors = new Map<string, Node>()
  const targets = new Map<Alias, Node>()
  const problems: Problem[] = []
  visit(contents, {
    Node(_, node, ancestors) {
      if (isMap(node)) problems.push(...repeatedKeys(node))
      if (!isAlias(node)) {
        if (node.anchor) anchors.set(node.anchor, node)
        return
      }
      const target = anchors.get(node.source)
      const problem = target === undefined ? noAnchor : ancestors.includes(target) ? partOfItself : undefined
      if (target !== undefined && problem === undefined) targets.set(node, target)
      if (problem === undefined) return
      const { source, range } = node
      problems.push({ offset: range?.[0] ?? 0, rule: 'yaml-alias', value: `*${source}`, message: problem(source) })
    },
  })
  return { targets, problems }
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
    return isRepeated ? [{ offset: key.range?.[0] ?? 0, rule: 'yaml-duplicate-key', value: name, message }] : []
  })
}
