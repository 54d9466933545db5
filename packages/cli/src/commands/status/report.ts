import { parseTime } from '@portcullis/kube'
import type { Overview, ReportedCondition } from '@portcullis/operator'
import type { Paint } from '../../io/colours.ts'
import { formatMessage } from '../../io/format-message.ts'
import type { Printed } from '../../io/output.ts'
import { printableThroughout } from '../../io/printable.ts'
import { table } from '../../io/table.ts'

/** The state of IngressControllers, in every output format. */
export function printedStatus(overviews: readonly Overview[], namespace: string, now: Date): Printed {
  return {
    table: ({ wide, paint }) => formatStatus(printableThroughout(overviews), namespace, { now, wide, paint }),
    data: overviews,
    names: overviews.map(({ name }) => `ingresscontroller.operator.openshift.io/${name}`),
  }
}

function formatStatus(
  overviews: readonly Overview[],
  namespace: string,
  { now, wide, paint }: { readonly now: Date; readonly wide: boolean; readonly paint: Paint },
): string {
  if (overviews.length === 0) return `No IngressControllers found in namespace ${namespace}.`
  return [
    tableOf(overviews, wide, paint),
    ...overviews.flatMap((each) => detailsOf(each, now, paint).map((text) => `\n${text}`)),
  ].join('\n')
}

function tableOf(overviews: readonly Overview[], wide: boolean, paint: Paint): string {
  const more = wide ? ['DOMAIN', 'PORTS', 'ROUTERS', 'DEGRADED'] : []
  return table(
    ['NAME', 'STRATEGY', 'SCOPE', 'ADDRESS', 'AVAILABLE', 'INGRESSES', ...more],
    overviews.map((each) => [
      each.name,
      each.strategy ?? '-',
      each.scope ?? '-',
      addressText(each.addresses, wide),
      available(each, paint),
      ingressText(each.ingresses),
      ...(wide ? [each.domain ?? '-', each.ports.join(',') || '-', String(each.routers), each.degraded] : []),
    ]),
  )
}

/** A controller on the ports of a hundred nodes has a hundred addresses. */
function addressText(addresses: readonly string[], wide: boolean): string {
  const [first = '-', ...others] = addresses
  if (wide) return addresses.join(',') || '-'
  return others.length === 0 ? first : `${first} and ${others.length} more`
}

function available({ available, pending }: Overview, { green, red, yellow }: Paint): string {
  if (available !== 'True') return red(available === 'False' ? 'no' : 'unknown')
  return pending.length > 0 ? yellow('yes, changing') : green('yes')
}

function ingressText({ count, waiting, excluded }: Overview['ingresses']): string {
  const more = [
    ...(waiting > 0 ? [`${waiting} without address`] : []),
    ...(excluded > 0 ? [`${excluded} not selected`] : []),
  ]
  return more.length === 0 ? String(count) : `${count} (${more.join(', ')})`
}

function detailsOf(each: Overview, now: Date, paint: Paint): string[] {
  const { name, pending, problems, isAnswered, isBeingDeleted } = each
  const { bold, yellow, red } = paint
  const title = (what: string, { reason, since }: ReportedCondition) =>
    `${bold(name)}: ${what} (${reason}, ${ago(since, now)})`
  const text = (head: string, { message }: ReportedCondition) => `${head}\n${formatMessage(message, '  ')}`
  return [
    ...(isBeingDeleted ? [`${bold(name)}: ${yellow('is being deleted')}`] : []),
    ...(isAnswered || isBeingDeleted
      ? []
      : [
          `${bold(name)}: ${yellow('the operator has not observed the last change yet')}; if this persists, check that the operator is running.`,
        ]),
    ...pending.map((condition) =>
      text(title(yellow(condition.waitsForYou ? 'waits for you' : 'is progressing'), condition), condition),
    ),
    ...problems.map((problem) =>
      text(title(red(`${problem.condition}=${problem.status}`), problem), problem),
    ),
  ]
}

/** `for 5m`: durations as kubectl prints them. */
function ago(since: string, now: Date): string {
  const time = parseTime(since)
  if (time === undefined) return 'for an unknown time'
  const seconds = Math.max(0, Math.round((now.getTime() - time.getTime()) / 1000))
  const [unit, length] =
    seconds < 120 ? ['s', 1] : seconds < 7200 ? ['m', 60] : seconds < 172_800 ? ['h', 3600] : ['d', 86_400]
  return `for ${Math.floor(seconds / length)}${unit}`
}
