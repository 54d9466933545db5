/**
 * Kubernetes' CEL library under names that the engine has not taken already, some with another meaning: methods by
 * their name, functions by their name with their namespace.
 */
const methods = new Set([
  'matches',
  'find',
  'findAll',
  'split',
  'join',
  'replace',
  'charAt',
  'indexOf',
  'lastIndexOf',
  'substring',
  'lowerAscii',
  'upperAscii',
  'trim',
  'format',
  'isSorted',
  'sum',
  'min',
  'max',
  'slice',
  'flatten',
  'distinct',
  'sort',
])

const namespaced: Readonly<Record<string, string>> = {
  'ip.isCanonical': 'k8s_ipIsCanonical',
  'strings.quote': 'k8s_quote',
  'sets.contains': 'k8s_setsContains',
  'sets.equivalent': 'k8s_setsEquivalent',
  'sets.intersects': 'k8s_setsIntersects',
  'format.named': 'k8s_formatNamed',
  ...Object.fromEntries(
    [
      'dns1123Label',
      'dns1123Subdomain',
      'dns1035Label',
      'qualifiedName',
      'dns1123LabelPrefix',
      'dns1123SubdomainPrefix',
      'dns1035LabelPrefix',
      'labelValue',
      'uri',
      'uuid',
      'byte',
      'date',
      'datetime',
    ].map((name) => [`format.${name}`, `k8s_format_${name}`]),
  ),
}

const functions = new Set(['duration', 'timestamp', 'matches'])

const token =
  /[rRbB]{0,2}(?:"""[^]*?"""|'''[^]*?''')|[rR][bB]?"[^"\n]*"|[rR][bB]?'[^'\n]*'|[bB]?"(?:\\.|[^"\\\n])*"|[bB]?'(?:\\.|[^'\\\n])*'|\/\/[^\n]*|[A-Za-z_][A-Za-z0-9_]*|\s+|[^]/g

/** A rule in the engine's words, and the names that it uses. */
export function translate(rule: string): { readonly source: string; readonly names: ReadonlySet<string> } {
  const tokens = rule.match(token) ?? []
  const names = new Set<string>()
  const isName = (text: string | undefined) => text !== undefined && /^[A-Za-z_][A-Za-z0-9_]*$/.test(text)
  const near = (index: number, step: 1 | -1): number => {
    let i = index + step
    while (/^(?:\s|\/\/)/.test(tokens[i] ?? '')) i += step
    return i
  }
  const output = [...tokens]
  for (let i = 0; i < tokens.length; i += 1) {
    const name = tokens[i]
    if (name === undefined || !isName(name)) continue
    const before = tokens[near(i, -1)]
    const next = near(i, 1)
    if (before === '.' || before === '?') {
      if (before === '.' && tokens[next] === '(' && methods.has(name)) output[i] = `k8s_${name}`
      continue
    }
    names.add(name)
    if (tokens[next] === '(' && functions.has(name)) output[i] = `k8s_${name}`
    const member = near(next, 1)
    const full = tokens[next] === '.' ? namespaced[`${name}.${tokens[member]}`] : undefined
    if (full === undefined || tokens[near(member, 1)] !== '(') continue
    output[i] = full
    output.fill('', i + 1, member + 1)
    i = member
  }
  return { source: output.join(''), names }
}

/** A property's name as rules write it. */
export function escapeName(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`
  if (!/^[A-Za-z_][A-Za-z0-9_./-]*$/.test(name)) return undefined
  return name
    .replaceAll('__', '\u0000')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__')
    .replaceAll('\u0000', '__underscores__')
}

const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)

/** Whether a variable of an expression may be called so. */
export function isCelIdentifier(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !reserved.has(name)
}
