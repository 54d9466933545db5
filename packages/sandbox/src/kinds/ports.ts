import { type FieldError, invalids, notSupported, required } from '@portcullis/schema'

const protocols = ['SCTP', 'TCP', 'UDP'] as const

export function problemsOfPort(port: number): string[] {
  return port >= 1 && port <= 65535 ? [] : ['must be between 1 and 65535, inclusive']
}

/** The names of container ports, by which Services and Ingresses may refer to them. */
export function problemsOfPortName(name: string): string[] {
  const problems: string[] = []
  if (name.length > 15) problems.push('must be no more than 15 characters')
  if (!/^[-a-z0-9]+$/.test(name))
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)')
  if (!/[a-z]/.test(name)) problems.push('must contain at least one letter (a-z)')
  if (name.includes('--')) problems.push('must not contain consecutive hyphens')
  if (name.startsWith('-') || name.endsWith('-')) problems.push('must not begin or end with a hyphen')
  return problems
}

export function validatePort(field: string, port: number): FieldError[] {
  return invalids(field, port, problemsOfPort(port))
}

export function validatePortOrName(field: string, port: number | string): FieldError[] {
  if (typeof port === 'number') return validatePort(field, port)
  return invalids(field, port, problemsOfPortName(port))
}

export function validateProtocol(field: string, protocol: string | undefined): FieldError[] {
  if (protocol === undefined || protocol === '') return [required(field)]
  return protocols.some((one) => one === protocol) ? [] : [notSupported(field, protocol, protocols)]
}
