import type { AnyObject } from '@portcullis/schema'
import type { Column } from '../resource.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** How long ago that was, as `kubectl get` shows it. */
export function ageOf(timestamp: string | undefined, now: Date): string {
  if (timestamp === undefined || timestamp === '') return '<unknown>'
  return humanDuration(now.getTime() - Date.parse(timestamp))
}

export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / second)
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.trunc(milliseconds / minute)
  if (minutes < 10) return joined(minutes, 'm', seconds % 60, 's')
  if (minutes < 180) return `${minutes}m`
  const hours = Math.trunc(milliseconds / hour)
  if (hours < 8) return joined(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.trunc(milliseconds / day)
  if (hours < 24 * 8) return joined(days, 'd', hours % 24, 'h')
  if (days < 365 * 2) return `${days}d`
  const years = Math.trunc(days / 365)
  return days < 365 * 8 ? joined(years, 'y', days % 365, 'd') : `${years}y`
}

export const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'What the object is called; no other of its kind in its namespace has this name.',
  priority: 0,
  cell: ({ metadata }) => metadata.name ?? '',
}

export const ageColumn: Column = {
  name: 'Age',
  type: 'string',
  description: 'When the server made the object.',
  priority: 0,
  cell: ({ metadata }, now) => ageOf(metadata.creationTimestamp, now),
}

/** A column that is always shown, unless its priority is 1: then only with `-o wide`. */
export function column(
  name: string,
  description: string,
  cell: (object: AnyObject, now: Date) => string | number | boolean | null,
  { type = 'string', priority = 0 }: { readonly type?: Column['type']; readonly priority?: number } = {},
): Column {
  return { name, type, description, priority, cell }
}

/** The first three of a list, and how many more there are. */
export function firstThree(list: readonly string[]): string {
  if (list.length === 0) return '<unset>'
  return list.length > 3 ? `${list.slice(0, 3).join(',')} + ${list.length - 3} more...` : list.join(',')
}

function joined(whole: number, unit: string, rest: number, smaller: string): string {
  return rest === 0 ? `${whole}${unit}` : `${whole}${unit}${rest}${smaller}`
}
