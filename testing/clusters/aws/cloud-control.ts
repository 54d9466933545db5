import { request } from 'undici'
import type { CloudCall, CloudRule } from './cloud-faults.ts'

/** Injects faults into a cloud proxy, which may run in another process, and reads its calls. */
export class CloudControl {
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  /** @param name under which the rule can be lifted, or replaced by another */
  async inject(name: string, rule: CloudRule): Promise<void> {
    await this.#ask('PUT', `faults/${encodeURIComponent(name)}`, rule)
  }

  async lift(name: string): Promise<void> {
    await this.#ask('DELETE', `faults/${encodeURIComponent(name)}`)
  }

  /** All calls that were made of the cloud, oldest first. */
  async calls(): Promise<readonly CloudCall[]> {
    return (await this.#ask('GET', 'calls')) as readonly CloudCall[]
  }

  async #ask(method: 'GET' | 'PUT' | 'DELETE', path: string, content?: object): Promise<unknown> {
    const body = content === undefined ? null : JSON.stringify(content)
    const answer = await request(`${this.#url}/${path}`, { method, body })
    const said = await answer.body.json()
    if (answer.statusCode !== 200)
      throw new Error(`The cloud proxy says to ${method} ${path}: ${String(said)}`)
    return said
  }
}
