import type { ControllerPlan, FieldChange, ObjectChange, Plan } from '@portcullis/operator'
import type { Paint } from '../io/colours.ts'
import { formatMessage } from '../io/format-message.ts'
import type { Printed } from '../io/output.ts'
import { printable, printableThroughout } from '../io/printable.ts'

/** Whether a plan has no changes, changes, or changes that interrupt traffic. */
export const planExitCodes = { nothing: 0, changes: 2, interrupts: 3 } as const

export function exitCodeOf(plan: Plan): number {
  if (isInterrupting(plan)) return planExitCodes.interrupts
  return plan.changes.length > 0 ? planExitCodes.changes : planExitCodes.nothing
}

export function isInterrupting({ controllers }: Plan): boolean {
  return controllers.some(({ interruptions }) => interruptions.length > 0)
}

function problemsIn({ controllers }: Plan): ControllerPlan['problems'] {
  return controllers.flatMap(({ problems }) => problems)
}

/** A plan, in every output format. */
export function printedPlan(plan: Plan): Printed {
  return {
    table: ({ wide, paint }) => formatPlan(printableThroughout(plan), wide, paint),
    data: { ...plan, interrupts: isInterrupting(plan), hasProblems: problemsIn(plan).length > 0 },
    names: plan.changes.map(({ kind, name }) => `${kind.toLowerCase()}/${name}`),
  }
}

function formatPlan(plan: Plan, wide: boolean, paint: Paint): string {
  const { controllers, isBehind } = plan
  return [
    ...controllers.map((controllerPlan) => controllerText(controllerPlan, plan, wide, paint)),
    ...(isBehind
      ? [
          paint.yellow(
            'The operator has not finished earlier changes; they are part of this plan. Is the operator running?',
          ),
        ]
      : []),
    paint.bold(summary(plan)),
  ].join('\n\n')
}

function controllerText(
  controllerPlan: ControllerPlan,
  { changes }: Plan,
  wide: boolean,
  paint: Paint,
): string {
  const own = changes.filter(({ controller }) => controller === controllerPlan.name)
  return [
    paint.bold(`IngressController ${controllerPlan.name}`),
    ...(controllerPlan.isBeingDeleted ? [paint.red('  is being deleted; the change has no effect')] : []),
    ...(own.length === 0 ? ['  no changes'] : own.map((change) => changeText(change, wide, paint))),
    ...consequences(controllerPlan, paint),
  ].join('\n')
}

function changeText(change: ObjectChange, wide: boolean, paint: Paint): string {
  const { sign, kind, namespace, name, fields } = change
  const colour = { '+': paint.green, '~': paint.yellow, '-/+': paint.red, '-': paint.red }[sign]
  const object = namespace === undefined ? name : `${namespace}/${name}`
  const remarks = remarksOn(change)
  const head = `${colour(sign.padStart(5))} ${kind} ${object}${remarks === '' ? '' : `   ${paint.faint(remarks)}`}`
  const isNew = sign === '+' && !wide
  // The operator's own annotations are shown with -o wide only.
  const shown = fields.filter(({ path }) => wide || !path.includes('"portcullis.dev/'))
  return [
    head,
    ...(isNew ? [] : shown.map((field) => `        ${shortened(fieldText(field, sign), wide)}`)),
  ].join('\n')
}

function remarksOn({ disruption, when }: ObjectChange): string {
  const remarks = [
    { none: '', reconfigures: 'updated in place', interrupts: 'interrupts traffic' }[disruption],
    { 'at once': '', later: 'once the changes before it are ready', 'when you agree': 'waits for you' }[when],
  ]
  return remarks.filter(Boolean).join(', ')
}

function fieldText({ path, from, to }: FieldChange, sign: ObjectChange['sign']): string {
  if (sign === '+') return printable(`${path}: ${valueText(to)}`)
  return printable(`${path}: ${valueText(from)} → ${valueText(to)}`)
}

/** The value of a field may be a page long. */
function shortened(text: string, wide: boolean): string {
  return wide || text.length <= longest ? text : `${text.slice(0, longest)}… (-o wide shows all)`
}

const longest = 200

function valueText(value: unknown): string {
  if (value === undefined) return '(none)'
  return typeof value === 'string' ? `"${value}"` : JSON.stringify(value)
}

function consequences(controllerPlan: ControllerPlan, { red, yellow, faint }: Paint): string[] {
  const { addresses, ingresses, interruptions, waits, problems, domain } = controllerPlan
  const { before, after } = addresses
  const onlyPorts = before.join() === after.join()
  const isSame = onlyPorts && addresses.decidedBy === undefined
  const hasMoved = !isSame && before.length > 0
  return [
    ...(isSame
      ? []
      : [`  address    ${printable(before.join(', ') || '(none)')} → ${printable(newAddress(addresses))}`]),
    ...(ingresses.count === 0 ? [] : [`  ingresses  ${printable(ingressText(ingresses, onlyPorts))}`]),
    ...(hasMoved && domain !== undefined
      ? [faint(`  dns        update the record of *.${printable(domain)} if you manage it yourself`)]
      : []),
    ...interruptions.map((text) => `  ${red('traffic')}    ${printable(text)}`),
    ...(waits === undefined
      ? []
      : [
          `  ${yellow('waits')}      for you (${waits.reason}); run one of these commands`,
          `               to proceed: ${printable(waits.command)}`,
          `               to revert:  ${printable(waits.revert)}`,
        ]),
    ...problems.map(
      ({ condition, reason, message }) =>
        `  ${red('problem')}    ${condition} (${reason})\n${formatMessage(message, '             ')}`,
    ),
  ]
}

function ingressText({ count, hosts }: ControllerPlan['ingresses'], onlyPorts: boolean): string {
  const those = counted(count, 'Ingress')
  const gets = count === 1 ? 'gets' : 'get'
  if (onlyPorts) return `${those} ${gets} new ports`
  if (hosts.length === 0) return `${those} ${gets} a new address`
  const more = hosts.length > mostNamed ? ` and ${hosts.length - mostNamed} more` : ''
  return `${those} ${gets} a new address, which affects ${counted(hosts.length, 'DNS name')}: ${hosts.slice(0, mostNamed).join(', ')}${more}`
}

const mostNamed = 5

function newAddress({ after, decidedBy }: ControllerPlan['addresses']): string {
  if (decidedBy === 'scheduler') return `${counted(after.length, 'node')} chosen by the scheduler`
  return after.join(', ') || '(none)'
}

function summary(plan: Plan): string {
  const { changes } = plan
  const problems = problemsIn(plan).length
  const wrong = problems === 0 ? '' : ` ${counted(problems, 'problem')}: see above.`
  if (changes.length === 0) return `No changes.${wrong}`
  const count = (sign: ObjectChange['sign']) => changes.filter((change) => change.sign === sign).length
  const traffic = isInterrupting(plan)
    ? `Traffic is interrupted${waits(plan) ? ' when you proceed' : ''}.`
    : 'Traffic is not interrupted.'
  return `${count('+')} to add, ${count('~')} to change, ${count('-/+')} to replace, ${count('-')} to remove. ${traffic}${wrong}`
}

function waits({ controllers }: Plan): boolean {
  return controllers.every((each) => each.interruptions.length === 0 || each.waits !== undefined)
}

function counted(count: number, noun: string): string {
  if (count === 1) return `1 ${noun}`
  return `${count} ${noun}${noun.endsWith('s') ? 'es' : 's'}`
}
