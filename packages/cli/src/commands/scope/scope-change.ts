import { isBeingDeleted, isConflict, isNotFound, type Persisted, Service, sleep } from '@portcullis/kube'
import {
  type IngressControllerObject as Controller,
  IngressController,
  ownerOf,
  type Plan,
  patchFor,
  routerName,
  type Scope,
  type Settings,
} from '@portcullis/operator'
import type { Service as ServiceObject } from 'kubernetes-types/core/v1'
import type { Connection } from '../../connection/connect.ts'
import type { CommandIO } from '../../io/command-io.ts'
import { formatMessage } from '../../io/format-message.ts'
import { printable } from '../../io/printable.ts'
import { isInterrupting } from '../../planned-change/report.ts'
import { type ScopeChangeState, scopeChangeState } from './scope-change-state.ts'

export interface ScopeOptions {
  /** Apply without asking. */
  readonly yes: boolean
  /** The second consent: the load balancer, which carries traffic, may be deleted. */
  readonly deleteLoadBalancer: boolean
  readonly timeout?: number
}

export const scopeExitCodes = { done: 0, failed: 1, waits: 2, interrupted: 130 } as const
type ExitCode = (typeof scopeExitCodes)[keyof typeof scopeExitCodes]

interface Parts {
  readonly io: CommandIO
  readonly client: Pick<Connection, 'get' | 'patch' | 'delete'>
  readonly stop: AbortSignal
  readonly options: ScopeOptions
  readonly name: string
  readonly scope: Scope
  readonly settings: Settings
  /** The command line that runs this command again, without the scope. */
  readonly commandLine: string
}

type End = Extract<ScopeChangeState, { phase: 'waits' | 'refused' | 'done' }>

const endPhases: readonly ScopeChangeState['phase'][] = ['refused', 'done']
const pollIntervalMs = 500
const defaultTimeoutMs = 15 * 60_000
const operatorIsSlowAfterMs = 10_000
/** The field manager of the writes of this command. */
const fieldManager = 'portcullis-scope'

/** An interactive change of scope: nothing is written before the user agrees, nothing deleted before they agree to the deletion. */
export class ScopeChange {
  readonly #parts: Parts
  /** What has been done so far, for the message after an interruption. */
  #state: 'untouched' | 'applied' | 'deleted' = 'untouched'

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async apply(plan: Plan): Promise<ExitCode> {
    try {
      return await this.#applyScope(plan)
    } catch (error) {
      if (!this.#parts.stop.aborted && (error as Error).name !== 'AbortError') throw error
      this.#parts.io.printError(`\n${this.#stateText()}`)
      return scopeExitCodes.interrupted
    }
  }

  async #applyScope(plan: Plan): Promise<ExitCode> {
    const { io, name, scope } = this.#parts
    const before = await this.#read()
    const isAsked = before.spec?.endpointPublishingStrategy?.loadBalancer?.scope === scope
    const waits = plan.controllers.some((each) => each.name === name && each.waits !== undefined)
    if (!isAsked) {
      if (!(await this.#agrees())) return this.#nothingChanged()
      // With the auto-delete annotation, the operator replaces the load balancer without waiting.
      if (isInterrupting(plan) && !waits && !(await this.#agreesToDeletion())) return this.#nothingChanged()
    }
    const { metadata } = isAsked ? before : await this.#patchScope(before)
    this.#state = 'applied'
    const generation = metadata.generation ?? 0
    let state = await this.#follow(generation)
    if (state.phase === 'waits') {
      if (isAsked)
        io.print(
          `The change was requested earlier, and has been waiting since ${state.since.lastTransitionTime}.`,
        )
      const service = await this.#ownService()
      if (!(await this.#agreesToDeletion())) return this.#stillWaiting(state.text)
      if (service !== undefined) await this.#deleteIfStillWaiting(service, generation)
      state = await this.#follow(generation, service?.metadata.uid ?? '')
    }
    if (state.phase === 'refused')
      throw new Error(`The operator rejected the change: ${state.text} ${this.#howToRevert()}`)
    io.print(`The load balancer of IngressController "${name}" is ${scope}: ${printable(state.text)}`)
    return scopeExitCodes.done
  }

  // ── consent ──

  async #agrees(): Promise<boolean> {
    const { io, options, stop } = this.#parts
    if (options.yes) return true
    if (io.ask === undefined)
      throw new Error(
        'Nothing was changed: there is no terminal to ask on. Use --yes to apply without being asked.',
      )
    return /^y(es)?$/i.test((await io.ask('Apply this? [y/N] ', stop)).trim())
  }

  async #agreesToDeletion(): Promise<boolean> {
    const { io, options, stop, name } = this.#parts
    if (options.deleteLoadBalancer) return true
    if (io.ask === undefined) return false
    const service = routerName(name)
    io.print(
      `The cloud cannot change the scope of a live load balancer: Service ${service} must be deleted, which interrupts traffic until the new load balancer is up.`,
    )
    return (await io.ask(`Type ${service} to delete it, anything else to keep it: `, stop)).trim() === service
  }

  #nothingChanged(): ExitCode {
    this.#parts.io.print('Nothing was changed.')
    return scopeExitCodes.failed
  }

  #stillWaiting(message: string): ExitCode {
    const { io } = this.#parts
    io.print(`The change has been applied and waits for you; traffic is not interrupted.`)
    io.print(formatMessage(message, '  '))
    return scopeExitCodes.waits
  }

  // ── writes ──

  /** Patches one field, and only if the spec is unchanged since the plan; the operator may update the status meanwhile. */
  async #patchScope(planned: Persisted<Controller>): Promise<Persisted<Controller>> {
    const { client, scope, stop } = this.#parts
    for (let seen = planned; ; seen = await this.#read()) {
      if (seen.metadata.generation !== planned.metadata.generation)
        throw new Error(
          `Nothing was changed: someone else has modified the IngressController in the meantime. Run the command again.`,
        )
      const { uid, resourceVersion } = seen.metadata
      const body = { metadata: { uid, resourceVersion }, spec: patchFor({ scope }, seen.spec) }
      try {
        return await client.patch(
          IngressController,
          this.#ref,
          { type: 'merge', body },
          { fieldManager, signal: stop },
        )
      } catch (error) {
        if (!isConflict(error)) throw error
      }
    }
  }

  async #ownService(): Promise<Persisted<ServiceObject> | undefined> {
    const { name } = this.#parts
    const service = await this.#readService()
    if (service === undefined || ownerOf(service) === name) return service
    throw new Error(
      `Service ${service.metadata.name} does not belong to IngressController "${name}"; it was not deleted.`,
    )
  }

  /** Deletes the Service that the user was asked about, unless someone else has resolved the change in the meantime. */
  async #deleteIfStillWaiting({ metadata }: Persisted<ServiceObject>, generation: number): Promise<void> {
    const { client, scope, stop } = this.#parts
    const { phase } = scopeChangeState(await this.#read(), { scope, generation, serviceIsNew: true })
    if (phase !== 'waits') return
    try {
      await client.delete(Service, this.#serviceRef, { preconditions: { uid: metadata.uid }, signal: stop })
      this.#state = 'deleted'
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error
    }
  }

  // ── progress ──

  /** @param deleted the uid of the Service that is deleted for the change, if any */
  async #follow(generation: number, deleted?: string): Promise<End> {
    const { io, scope, options, stop } = this.#parts
    const { clock } = io
    const started = clock.monotonic()
    try {
      for (;;) {
        const serviceIsNew = deleted === undefined || isReplacement(await this.#readService(), deleted)
        const controller = await this.#read()
        if ((controller.metadata.generation ?? 0) > generation)
          throw new Error(
            'Someone else has modified the IngressController in the meantime. Run the command again.',
          )
        const state = scopeChangeState(controller, { scope, generation, serviceIsNew })
        // After the deletion, the operator may not have observed yet that it no longer waits.
        const isOver = state.phase === 'waits' ? deleted === undefined : endPhases.includes(state.phase)
        if (isOver) {
          if (state.phase === 'done') io.steps.done()
          return state as End
        }
        const elapsed = clock.monotonic() - started
        if (elapsed > (options.timeout ?? defaultTimeoutMs))
          throw new Error(`The change is not complete yet: ${state.text}. ${this.#stateText()}`)
        const text = state.phase === 'waits' ? 'waiting for the operator' : state.text
        const isSlow = state.phase === 'unobserved' && elapsed > operatorIsSlowAfterMs
        io.steps.step(isSlow ? `${text}; is it running?` : text)
        await sleep(clock, pollIntervalMs, stop)
      }
    } finally {
      io.steps.clear()
    }
  }

  #read(): Promise<Persisted<Controller>> {
    return this.#parts.client.get(IngressController, this.#ref, { signal: this.#parts.stop })
  }

  async #readService(): Promise<Persisted<ServiceObject> | undefined> {
    try {
      return await this.#parts.client.get(Service, this.#serviceRef, { signal: this.#parts.stop })
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  get #ref() {
    return { namespace: this.#parts.settings.operatorNamespace, name: this.#parts.name }
  }

  get #serviceRef() {
    return { namespace: this.#parts.settings.operandNamespace, name: routerName(this.#parts.name) }
  }

  #stateText(): string {
    const { scope } = this.#parts
    const howToContinue = `To continue: \`${this.#parts.commandLine} ${scope}\`.`
    switch (this.#state) {
      case 'untouched':
        return 'Nothing was changed.'
      case 'applied':
        return `The change has been applied; no load balancer was deleted by this command. ${howToContinue} ${this.#howToRevert()}`
      case 'deleted':
        return `The old load balancer is being deleted, and the operator creates the new one by itself. ${howToContinue}`
    }
  }

  #howToRevert(): string {
    return `To revert: \`${this.#parts.commandLine} --revert\`.`
  }
}

function isReplacement(service: Persisted<ServiceObject> | undefined, deleted: string): boolean {
  return service !== undefined && service.metadata.uid !== deleted && !isBeingDeleted(service)
}
