/**
 * What may be a name in Kubernetes. Each check returns the server's problems about a value; none when it is fine.
 */
export type NameRule = (name: string) => string[]

const label1123 = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const subdomain1123 = `${label1123}(\\.${label1123})*`
const wildcard = `\\*\\.${subdomain1123}`
const qualified = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const labelValue = `(${qualified})?`
const configKey = '[-._a-zA-Z0-9]+'
const httpPath = String.raw`[A-Za-z0-9/\-._~%!$&'()*+,;=:]+`

const alphanumeric = 'must start and end with an alphanumeric character'

export function problemsOfLabel(value: string): string[] {
  const problems = tooLong(value, 63)
  if (matches(label1123, value)) return problems
  if (matches(subdomain1123, value)) return [...problems, 'must not contain dots']
  const rule = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and ${alphanumeric}`
  return [...problems, pattern(rule, label1123, 'my-name', '123-abc')]
}

export function problemsOfSubdomain(value: string): string[] {
  const problems = tooLong(value, 253)
  if (matches(subdomain1123, value)) return problems
  const rule = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and ${alphanumeric}`
  return [...problems, pattern(rule, subdomain1123, 'example.com')]
}

export function problemsOfWildcard(value: string): string[] {
  const problems = tooLong(value, 253)
  if (matches(wildcard, value)) return problems
  const rule =
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character"
  return [...problems, pattern(rule, wildcard, '*.example.com')]
}

/** Label keys, annotation keys, finalizers: a name, perhaps behind a domain and a slash. */
export function problemsOfQualifiedName(value: string): string[] {
  const rule = `must consist of alphanumeric characters, '-', '_' or '.', and ${alphanumeric}`
  const explained = pattern(rule, qualified, 'MyName', 'my.name', '123-abc')
  const parts = value.split('/')
  if (parts.length > 2)
    return [
      `a valid label key ${explained} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]
  const problems: string[] = []
  const name = parts.at(-1) ?? ''
  const prefix = parts.length === 2 ? parts[0] : undefined
  if (prefix === '') problems.push('prefix part must be non-empty')
  else if (prefix !== undefined)
    problems.push(...problemsOfSubdomain(prefix).map((problem) => `prefix part ${inBytes(problem)}`))
  if (name === '') problems.push('name part must be non-empty')
  else problems.push(...tooLong(name, 63).map((problem) => `name part ${inBytes(problem)}`))
  if (!matches(qualified, name)) problems.push(`name part ${explained}`)
  return problems
}

export function problemsOfLabelValue(value: string): string[] {
  const problems = tooLong(value, 63).map(inBytes)
  if (matches(labelValue, value)) return problems
  const rule = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and ${alphanumeric}`
  return [...problems, pattern(rule, labelValue, 'MyValue', 'my_value', '12345')]
}

/** The keys of ConfigMaps and Secrets. */
export function problemsOfConfigKey(value: string): string[] {
  const problems = tooLong(value, 253)
  if (!matches(configKey, value)) {
    const rule = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
    problems.push(pattern(rule, configKey, 'key.name', 'KEY_NAME', 'key-name'))
  }
  if (value === '.') problems.push("must not be '.'")
  else if (value === '..') problems.push("must not be '..'")
  else if (value.startsWith('..')) problems.push("must not start with '..'")
  return problems
}

/** Names that only have to fit into a path: RBAC's. */
export function problemsOfPathSegment(value: string): string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`]
  return ['/', '%']
    .filter((illegal) => value.includes(illegal))
    .map((illegal) => `may not contain '${illegal}'`)
}

export function problemsOfEnvironmentName(value: string): string[] {
  if (value === '') return ['environment variable name must be non-empty']
  return /^[\x20-\x3c\x3e-\x7e]*$/.test(value)
    ? []
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"]
}

export function problemsOfPercent(value: string): string[] {
  return matches('[0-9]+%', value)
    ? []
    : [
        pattern(
          "a valid percent string must be a numeric string followed by an ending '%'",
          '[0-9]+%',
          '1%',
          '93%',
        ),
      ]
}

export function problemsOfHttpHeader(value: string): string[] {
  return matches('[-A-Za-z0-9]+', value)
    ? []
    : [
        pattern(
          "a valid HTTP header must consist of alphanumeric characters or '-'",
          '[-A-Za-z0-9]+',
          'X-Header-Name',
        ),
      ]
}

/** A path behind a domain, as controllers of IngressClasses are named: the part complained about, and why. */
export function problemsOfDomainPath(value: string): { value: string; problem: string }[] {
  const slash = value.indexOf('/')
  if (slash <= 0 || slash === value.length - 1)
    return [{ value, problem: 'must be a domain-prefixed path (such as "acme.io/foo")' }]
  const domain = value.slice(0, slash)
  const path = value.slice(slash + 1)
  const problems = problemsOfSubdomain(domain).map((problem) => ({ value: domain, problem }))
  if (!matches(httpPath, path))
    problems.push({ value: path, problem: `Invalid path (regex used for validation is '${httpPath}')` })
  return problems
}

/** What a `generateName` becomes for the check of its rule: a dash at its end will be followed by something. */
export function withoutTrailingDash(prefix: string): string {
  return prefix.length > 1 && prefix.endsWith('-') ? `${prefix.slice(0, -2)}a` : prefix
}

function tooLong(value: string, maximum: number): string[] {
  return Buffer.byteLength(value) > maximum ? [`must be no more than ${maximum} characters`] : []
}

/** The newer checks count in bytes and say so; all of them count bytes. */
function inBytes(problem: string): string {
  return problem.replace(/^(must be no more than \d+) characters$/, '$1 bytes')
}

function pattern(rule: string, expression: string, ...examples: string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(' or ')
  return `${rule} (e.g. ${shown}regex used for validation is '${expression}')`
}

const compiled = new Map<string, RegExp>()

function matches(expression: string, value: string): boolean {
  let matcher = compiled.get(expression)
  if (matcher === undefined) {
    matcher = new RegExp(`^(?:${expression})$`)
    compiled.set(expression, matcher)
  }
  return matcher.test(value)
}
