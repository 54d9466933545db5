import type { Settings } from './settings.ts'

/** Commands for people, whole and ready to paste. Names in Kubernetes need no quoting in a shell; patches do. */
export class Commands {
  readonly #settings: Settings

  constructor(settings: Settings) {
    this.#settings = settings
  }

  deleteService(service: string): string {
    const { commandLine, operandNamespace } = this.#settings
    return `${commandLine} -n ${operandNamespace} delete svc/${service}`
  }

  annotateService(service: string, key: string, value: string | undefined): string {
    const { commandLine, operandNamespace } = this.#settings
    const change = value === undefined ? `${key}-` : `${key}=${quoted(value)} --overwrite`
    return `${commandLine} -n ${operandNamespace} annotate svc/${service} ${change}`
  }

  labelObject(resource: string, name: string, label: string): string {
    const { commandLine, operandNamespace } = this.#settings
    return `${commandLine} -n ${operandNamespace} label ${resource}/${name} ${label}`
  }

  /** @param endpointPublishingStrategy the part of it that is to change */
  patchController(controller: string, endpointPublishingStrategy: object): string {
    const { commandLine, operatorNamespace } = this.#settings
    const patch = JSON.stringify({ spec: { endpointPublishingStrategy } })
    return `${commandLine} -n ${operatorNamespace} patch ingresscontrollers/${controller} --type=merge --patch=${quoted(patch)}`
  }
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
