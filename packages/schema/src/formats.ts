import { parseCidr, parseIp } from './ip.ts'
import { Re2 } from './re2.ts'

type Format = (text: string) => boolean

const hostname =
  '^([a-zA-Z0-9\\p{S}\\p{L}]((-?[a-zA-Z0-9\\p{S}\\p{L}]{0,62})?)|([a-zA-Z0-9\\p{S}\\p{L}](([a-zA-Z0-9-\\p{S}\\p{L}]{0,61}[a-zA-Z0-9\\p{S}\\p{L}])?)(\\.)){1,}([a-zA-Z\\p{L}]){2,63})$'

function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (match === null) return false
  const [, year = '', month = '', day = ''] = match
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
}

function isDateTime(text: string): boolean {
  const [date = '', time] = text.toLowerCase().split('t')
  if (text.length < 4 || time === undefined || !isDate(date)) return false
  const match = /^(\d{2}):(\d{2}):(\d{2})(\.\d+)?(z|([+-]\d{2}:\d{2}))$/.exec(time)
  if (match === null) return false
  return (match[1] ?? '') <= '23' && (match[2] ?? '') <= '59' && (match[3] ?? '') <= '59'
}

const durationUnits = 'ns|us|µs|μs|ms|s|m|h'

export function isGoDuration(text: string): boolean {
  return (
    text === '0' ||
    new RegExp(`^[-+]?(?:(?:\\d+\\.?\\d*|\\.\\d+)(?:${durationUnits}))+$`).test(text) ||
    /^[-+]0$/.test(text)
  )
}

/** `22 ns`, `3 days`: anywhere in the text, as the server looks for it. */
const spoken = /(\d+)\s*(?:ns|nano|us|µs|micro|ms|milli|s\b|sec|m\b|min|h\b|hour|hr|d\b|day|w\b|week|wk)/i

const uuid = (version: string, variant = '[0-9a-f]') => {
  const pattern = new RegExp(
    `^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`,
    'i',
  )
  return (text: string) => pattern.test(text)
}

const matching =
  (pattern: RegExp): Format =>
  (text) =>
    pattern.test(text)

/** The formats that the server looks at; others it ignores. Their names count without hyphens. */
const formats: Readonly<Record<string, Format>> = {
  bsonobjectid: matching(/^[0-9a-fA-F]{24}$/),
  uri: (text) => /^(?:\/|[a-zA-Z][a-zA-Z0-9+.-]*:)/.test(text) && !/[ \p{Cc}]/u.test(text),
  email: matching(/^(?:[^<>@\s]+@[^<>@\s]+|[^<>]*<[^<>@\s]+@[^<>@\s]+>)$/),
  hostname: (text) =>
    Re2.of(hostname).finds(text) && text.length <= 255 && text.split('.').every((part) => part.length <= 63),
  ipv4: (text) => text.includes('.') && parseIp(text, { sloppy: true }) !== undefined,
  ipv6: (text) => text.includes(':') && parseIp(text, { sloppy: true }) !== undefined,
  cidr: (text) => parseCidr(text, { sloppy: true }) !== undefined,
  mac: matching(
    /^(?:[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}|[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\2){6}[0-9a-f]{2}|[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}(?:\.[0-9a-f]{4})?)$/i,
  ),
  uuid: uuid('[0-9a-f]'),
  uuid3: uuid('3'),
  uuid4: uuid('4', '[89ab]'),
  uuid5: uuid('5', '[89ab]'),
  hexcolor: matching(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  byte: matching(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/),
  password: () => true,
  ssn: matching(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/),
  date: isDate,
  datetime: isDateTime,
  duration: (text) => isGoDuration(text) || spoken.test(text),
  k8sshortname: (text) => text.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text),
  k8slongname: (text) =>
    text.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(text),
}

/** The check for a format, if it is one of those that are checked. */
export function stringFormat(name: string): Format | undefined {
  const key = name.replaceAll('-', '')
  return Object.hasOwn(formats, key) ? formats[key] : undefined
}
