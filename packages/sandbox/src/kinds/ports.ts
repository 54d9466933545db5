import { type FieldError, invalids, notSupported, required } from '@portcullis/schema'

const protocols = ['SCTP', 'TCP', 'UDP'] as const

export function complaintsAboutPort(port: number): string[] {
  return port >= 1 && port <= 65535 ? [] : ['must be between 1 and 65535, inclusive']
}

/** The names of container ports, by which Services and Ingresses may refer to them. */
export function complaintsAboutPortName(name: string): string[] {
  const complaints: string[] = []
  if (name.length > 15) complaints.push('must be no more than 15 characters')
  if (!/^[-a-z0-9]+$/.test(name))
    complaints.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)')
  if (!/[a-z]/.test(name)) complaints.push('must contain at least one letter (a-z)')
  if (name.includes('--')) complaints.push('must not contain consecutive hyphens')
  if (name.startsWith('-') || name.endsWith('-')) complaints.push('must not begin or end with a hyphen')
  return complaints
}

export function validatePort(field: string, port: number): FieldError[] {
  return invalids(field, port, complaintsAboutPort(port))
}

export function validatePortOrName(field: string, port: number | string): FieldError[] {
  if (typeof port === 'number') return validatePort(field, port)
  return invalids(field, port, complaintsAboutPortName(port))
}

export function validateProtocol(field: string, protocol: string | undefined): FieldError[] {
  if (protocol === undefined || protocol === '') return [required(field)]
  return protocols.some((one) => one === protocol) ? [] : [notSupported(field, protocol, protocols)]
}
