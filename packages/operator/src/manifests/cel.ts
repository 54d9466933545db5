/** A string in CEL, which quotes as JSON does. */
export function text(value: string): string {
  return JSON.stringify(value)
}

/** That two objects have the same in a field, or neither has it. */
export function same(one: string, other: string, field: string): string {
  const [here, there] = [`${one}.${field}`, `${other}.${field}`]
  return `(has(${here}) ? has(${there}) && ${here} == ${there} : !has(${there}))`
}

/** That an object has a field, given by its path: CEL fails where one of those above it is missing. */
export function hasPath(object: string, path: string): string {
  const fields = path.split('.')
  return fields.map((_, index) => `has(${[object, ...fields.slice(0, index + 1)].join('.')})`).join(' && ')
}
