/** `metav1.LabelSelector`, read only. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>
  readonly matchExpressions?: readonly {
    readonly key: string
    readonly operator: string
    readonly values?: readonly string[]
  }[]
}

type Labels = Readonly<Record<string, string>>

/** An empty selector matches everything; one that is missing matches nothing. */
export function matchesSelector(selector: LabelSelector | undefined, labels: Labels = {}): boolean {
  if (selector === undefined) return false
  return (
    matchesLabels(selector.matchLabels ?? {}, labels) &&
    (selector.matchExpressions ?? []).every((expression) => matchesExpression(expression, labels))
  )
}

export function matchesLabels(wanted: Labels, labels: Labels = {}): boolean {
  return Object.entries(wanted).every(([key, value]) => labels[key] === value)
}

/** Labels of objects and of nodes alike; `Gt` and `Lt` exist for nodes only. */
export function matchesExpression(
  {
    key,
    operator,
    values = [],
  }: { readonly key: string; readonly operator: string; readonly values?: readonly string[] },
  labels: Labels,
): boolean {
  const value = labels[key]
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    case 'Gt':
      return compare(value, values[0], (a, b) => a > b)
    case 'Lt':
      return compare(value, values[0], (a, b) => a < b)
    default:
      return false
  }
}

function compare(
  value: string | undefined,
  limit: string | undefined,
  holds: (a: bigint, b: bigint) => boolean,
): boolean {
  if (value === undefined || limit === undefined || !isInteger(value) || !isInteger(limit)) return false
  return holds(BigInt(value), BigInt(limit))
}

const isInteger = (text: string): boolean => /^-?\d+$/.test(text)
