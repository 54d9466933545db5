/** One step of a JSON path: a field, an item, all items, or those whose field has a value. */
type Step =
  | { readonly field: string }
  | { readonly index: number }
  | { readonly all: true }
  | { readonly where: readonly string[]; readonly equals: unknown }

const stepPattern =
  /\.(?<field>(?:[^.[\]\\]|\\.)+)|\[(?:'(?<quoted>[^']*)'|(?<index>-?\d+)|(?<all>\*)|\?\(@(?<where>[^=]+?)\s*==\s*(?<equals>"[^"]*"|'[^']*'|[^)]+)\))\]/g

/** Everything that a path finds: `.status.conditions[?(@.type=="Ready")].status`. The paths of printer columns. */
export function findByPath(value: unknown, path: string): unknown[] {
  return stepsOf(path).reduce<unknown[]>((found, step) => found.flatMap((each) => take(each, step)), [value])
}

function stepsOf(path: string): Step[] {
  return [...path.matchAll(stepPattern)].map(({ groups = {} }): Step => {
    const { field, quoted, index, where, equals } = groups
    if (field !== undefined) return { field: field.replaceAll('\\.', '.') }
    if (quoted !== undefined) return { field: quoted }
    if (index !== undefined) return { index: Number(index) }
    if (where !== undefined) return { where: where.trim().split('.').slice(1), equals: literal(equals ?? '') }
    return { all: true }
  })
}

function take(value: unknown, step: Step): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  if ('field' in step) {
    return Object.hasOwn(value, step.field) ? [(value as Record<string, unknown>)[step.field]] : []
  }
  const items: unknown[] = Array.isArray(value) ? value : Object.values(value)
  if ('all' in step) return items
  if ('index' in step) return items.slice(step.index).slice(0, 1)
  return items.filter((item) => {
    const found = step.where.reduce<unknown>(
      (each, field) => (each as Record<string, unknown> | undefined)?.[field],
      item,
    )
    return found === step.equals
  })
}

function literal(text: string): unknown {
  const trimmed = text.trim()
  if (/^["'].*["']$/.test(trimmed)) return trimmed.slice(1, -1)
  if (trimmed === 'true' || trimmed === 'false') return trimmed === 'true'
  return Number(trimmed)
}
