/**
 * Turns what Go's JSON decoder says of a value that does not fit into what its converter of maps to structs says,
 * which strategic merge patch and server-side apply go through.
 */
export function inConverterWords(problem: string): string {
  if (problem.startsWith('illegal base64')) return `error decoding from json: ${problem}`
  const match = /cannot unmarshal (?<found>\w+)(?: (?<number>\S+))? into Go .* of type (?<type>.+)$/.exec(
    problem,
  )
  const { found = '', number = '', type = '' } = match?.groups ?? {}
  if (match === null || problem.includes('into Go value of')) return problem
  const value = goTypeOf(found, number)
  if (type.startsWith('map[')) return `cannot restore map from ${simple(value)}`
  if (type.startsWith('[]')) return `cannot restore slice from ${simple(value)}`
  const isNumeric = /^(?:u?int\d*|float\d+)$/.test(type)
  if (isNumeric && found === 'number') return `cannot convert float64 to ${type}`
  if (isNumeric || type === 'bool') return `unrecognized type: ${type}`
  if (type === 'string' && (found === 'object' || found === 'array')) return `unrecognized type: ${type}`
  if (type === 'string' || found !== 'string') return `cannot convert ${value} to ${type}`
  return `cannot restore struct from: ${simple(value)}`
}

function goTypeOf(found: string, number: string): string {
  const types: Readonly<Record<string, string>> = {
    number: number.includes('.') ? 'float64' : 'int64',
    object: 'map[string]interface {}',
    array: '[]interface {}',
  }
  return types[found] ?? found
}

/** The converter names the sort of thing where the whole is of the wrong sort. */
function simple(type: string): string {
  if (type.startsWith('map[')) return 'map'
  return type.startsWith('[]') ? 'slice' : type
}
