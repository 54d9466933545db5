import { printable } from '@portcullis/kube'
import type { OperandRef } from './decision.ts'
import type { Settings } from './settings.ts'

/** Commands for people, whole and ready to paste into a shell. */
export class Commands {
  readonly #settings: Settings

  constructor(settings: Settings) {
    this.#settings = settings
  }

  deleteService(service: string): string {
    const { commandLine, operandNamespace } = this.#settings
    return `${commandLine} -n ${quoted(operandNamespace)} delete ${quoted(`svc/${service}`)}`
  }

  deleteController(controller: string): string {
    const { commandLine, operatorNamespace } = this.#settings
    return `${commandLine} -n ${quoted(operatorNamespace)} delete ${quoted(`ingresscontrollers/${controller}`)}`
  }

  deleteOperands(operands: readonly OperandRef[]): string {
    const { commandLine, operandNamespace } = this.#settings
    const names = operands.map(({ kind, ref }) => quoted(`${kind.kind.toLowerCase()}/${ref.name}`))
    return `${commandLine} -n ${quoted(operandNamespace)} delete ${names.join(' ')}`
  }

  annotateService(service: string, key: string, value: string | undefined): string {
    const { commandLine, operandNamespace } = this.#settings
    const change = value === undefined ? quoted(`${key}-`) : `${quoted(`${key}=${value}`)} --overwrite`
    return `${commandLine} -n ${quoted(operandNamespace)} annotate ${quoted(`svc/${service}`)} ${change}`
  }

  labelObject(resource: string, name: string, label: string): string {
    const { commandLine, operandNamespace } = this.#settings
    return `${commandLine} -n ${quoted(operandNamespace)} label ${quoted(`${resource}/${name}`)} ${quoted(label)}`
  }

  /** What a router said before it ended; without a container, the router itself. */
  logsOfCrashed(pod: string, container?: string): string {
    const { commandLine, operandNamespace } = this.#settings
    const which = container === undefined ? '' : ` -c ${quoted(container)}`
    return `${commandLine} -n ${quoted(operandNamespace)} logs ${quoted(pod)}${which} --previous`
  }

  /** What the kubelet says of a pod, the log of which says nothing. */
  describePod(pod: string): string {
    const { commandLine, operandNamespace } = this.#settings
    return `${commandLine} -n ${quoted(operandNamespace)} describe ${quoted(`pod/${pod}`)}`
  }

  /** @param endpointPublishingStrategy the part of it that is to change */
  patchController(controller: string, endpointPublishingStrategy: object): string {
    const { commandLine, operatorNamespace } = this.#settings
    const patch = inBackticks(JSON.stringify({ spec: { endpointPublishingStrategy } }))
    return `${commandLine} -n ${quoted(operatorNamespace)} patch ${quoted(`ingresscontrollers/${controller}`)} --type=merge --patch=${quoted(patch)}`
  }
}

/** JSON that means the same and can stand in a message: where a command ends is for us to say. */
function inBackticks(json: string): string {
  return printable(json).replaceAll('`', String.raw`\u0060`)
}

/** The commands in a message: they stand in backticks. */
export function commandsIn(message: string | undefined): string[] {
  return [...(message?.matchAll(/`([^`]+)`/g) ?? [])].flatMap(([, command]) => command ?? [])
}

/** For a POSIX shell: the text is one word there, and nothing else, whatever stands in it. */
export function quoted(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
