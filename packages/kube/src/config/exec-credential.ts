import { Singleflight } from '../singleflight.ts'
import type { Credential, Credentials } from './access.ts'
import { sameCredential } from './credentials.ts'
import { type PluginRun, runExecPlugin } from './exec-plugin.ts'
import { type IssuedCredential, parseExecResponse } from './exec-response.ts'

/** How long before its end a credential is replaced, so that none expires on the way to the server. */
const expiryMarginMs = 10_000

/** Credentials from a plugin: run when first needed, again shortly before they expire, and after a 401. */
export class ExecCredentials implements Credentials {
  readonly #setup: PluginRun
  #cached: { readonly credential: Credential; readonly freshUntil: number } | undefined
  #run: Singleflight<Credential> | undefined

  constructor(setup: PluginRun) {
    this.#setup = setup
  }

  current(signal?: AbortSignal): Credential | Promise<Credential> {
    signal?.throwIfAborted()
    if (this.#cached !== undefined && this.#now() < this.#cached.freshUntil) return this.#cached.credential
    if (this.#run === undefined || this.#run.isOver)
      this.#run = new Singleflight((signal) => this.#issue(signal))
    return this.#run.join(signal)
  }

  /**
   * Many requests may come back with 401 for one and the same credential. Only the first has it replaced; the
   * others find that this has happened already.
   */
  async rejected(credential: Credential): Promise<boolean> {
    if (this.#cached?.credential === credential) this.#cached = undefined
    return true
  }

  async #issue(signal: AbortSignal): Promise<Credential> {
    return this.#keep(parseExecResponse(this.#setup.plugin, await runExecPlugin(this.#setup, signal)))
  }

  #keep({ credential, expires }: IssuedCredential): Credential {
    const before = this.#cached?.credential
    const kept = before !== undefined && sameCredential(before, credential) ? before : credential
    this.#cached = { credential: kept, freshUntil: this.#freshUntil(expires) }
    return kept
  }

  /** A credential that expires within the margin is used until it expires; otherwise each request would run the plugin. */
  #freshUntil(expires: Date | undefined): number {
    if (expires === undefined) return Number.POSITIVE_INFINITY
    const early = expires.getTime() - expiryMarginMs
    return early > this.#now() ? early : expires.getTime()
  }

  #now(): number {
    return this.#setup.clock.now().getTime()
  }
}
