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
import { type Progress, progressOf } from './progress.ts'

export interface ScopeOptions {
  /** Apply without asking. */
  readonly yes: boolean
  /** The second consent: what carries traffic may be deleted. */
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
  /** What people type to come back to this controller, but for the scope. */
  readonly again: string
}

type End = Extract<Progress, { phase: 'waits' | 'refused' | 'done' }>

const endPhases: readonly Progress['phase'][] = ['refused', 'done']
const lookEveryMs = 500
const defaultTimeoutMs = 15 * 60_000
const operatorIsSlowAfterMs = 10_000
/** Under this name the API server keeps account of what is written here. */
const fieldManager = 'portcullis-scope'

/** A change of scope in the hands of a person: nothing is written before they have agreed, nothing deleted before they have agreed to that. */
export class ScopeChange {
  readonly #parts: Parts
  /** How far it has come, for whoever breaks it off. */
  #state: 'untouched' | 'applied' | 'deleted' = 'untouched'

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async apply(plan: Plan): Promise<ExitCode> {
    try {
      return await this.#applyScope(plan)
    } catch (error) {
      if (!this.#parts.stop.aborted && (error as Error).name !== 'AbortError') throw error
      this.#parts.io.printError(`\n${this.#whatIsLeft()}`)
      return scopeExitCodes.interrupted
    }
  }

  async #applyScope(plan: Plan): Promise<ExitCode> {
    const { io, name, scope } = this.#parts
    const before = await this.#read()
    const isAsked = before.spec?.endpointPublishingStrategy?.loadBalancer?.scope === scope
    const waits = plan.controllers.some((each) => each.name === name && each.waits !== undefined)
    if (!isAsked) {
      if (!(await this.#agrees())) return this.#nothingDone()
      // With the annotation nobody asks again.
      if (isInterrupting(plan) && !waits && !(await this.#agreesToDeletion())) return this.#nothingDone()
    }
    const { metadata } = isAsked ? before : await this.#patchScope(before)
    this.#state = 'applied'
    const generation = metadata.generation ?? 0
    let progress = await this.#follow(generation)
    if (progress.phase === 'waits') {
      if (isAsked)
        io.print(
          `The change was requested earlier, and has been waiting since ${progress.since.lastTransitionTime}.`,
        )
      const service = await this.#ownService()
      if (!(await this.#agreesToDeletion())) return this.#leftWaiting(progress.text)
      if (service !== undefined) await this.#deleteIfItStillHasToGo(service, generation)
      progress = await this.#follow(generation, service?.metadata.uid ?? '')
    }
    if (progress.phase === 'refused')
      throw new Error(`The operator rejected the change: ${progress.text} ${this.#howToRevert()}`)
    io.print(`The load balancer of IngressController "${name}" is ${scope}: ${printable(progress.text)}`)
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

  #nothingDone(): ExitCode {
    this.#parts.io.print('Nothing was changed.')
    return scopeExitCodes.failed
  }

  #leftWaiting(message: string): ExitCode {
    const { io } = this.#parts
    io.print(`The change has been applied and waits for you; traffic is not interrupted.`)
    io.print(formatMessage(message, '  '))
    return scopeExitCodes.waits
  }

  // ── what is written ──

  /** One field, and only if the spec is still what was planned with; the operator may write its status meanwhile. */
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

  /** The very Service that the question was about: while the question stood, somebody else may have answered it. */
  async #deleteIfItStillHasToGo({ metadata }: Persisted<ServiceObject>, generation: number): Promise<void> {
    const { client, scope, stop } = this.#parts
    const { phase } = progressOf(await this.#read(), { scope, generation, serviceIsNew: true })
    if (phase !== 'waits') return
    try {
      await client.delete(Service, this.#serviceRef, { preconditions: { uid: metadata.uid }, signal: stop })
      this.#state = 'deleted'
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error
    }
  }

  // ── following it ──

  /** @param gone the uid of the Service that was to go, where one was */
  async #follow(generation: number, gone?: string): Promise<End> {
    const { io, scope, options, stop } = this.#parts
    const { clock } = io
    const begun = clock.monotonic()
    try {
      for (;;) {
        const serviceIsNew = gone === undefined || isAnother(await this.#readService(), gone)
        const controller = await this.#read()
        if ((controller.metadata.generation ?? 0) > generation)
          throw new Error(
            'Someone else has modified the IngressController in the meantime. Run the command again.',
          )
        const progress = progressOf(controller, { scope, generation, serviceIsNew })
        // After the deletion the operator may not have seen yet that there is nothing to wait for.
        const isOver = progress.phase === 'waits' ? gone === undefined : endPhases.includes(progress.phase)
        if (isOver) {
          if (progress.phase === 'done') io.progress.done()
          return progress as End
        }
        const elapsed = clock.monotonic() - begun
        if (elapsed > (options.timeout ?? defaultTimeoutMs))
          throw new Error(`The change is not complete yet: ${progress.text}. ${this.#whatIsLeft()}`)
        const text = progress.phase === 'waits' ? 'waiting for the operator' : progress.text
        const isSlow = progress.phase === 'unanswered' && elapsed > operatorIsSlowAfterMs
        io.progress.step(isSlow ? `${text}; is it running?` : text)
        await sleep(clock, lookEveryMs, stop)
      }
    } finally {
      io.progress.clear()
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

  #whatIsLeft(): string {
    const { scope, again } = this.#parts
    const howToContinue = `To continue: \`${again} ${scope}\`.`
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
    return `To revert: \`${this.#parts.again} --revert\`.`
  }
}

function isAnother(service: Persisted<ServiceObject> | undefined, gone: string): boolean {
  return service !== undefined && service.metadata.uid !== gone && !isBeingDeleted(service)
}
