import {
  Client,
  type ClusterAccess,
  createMetrics,
  type Kind,
  Manager,
  silentLogger,
  systemClock,
  WriteRefusedError,
} from '@portcullis/kube'
import { assembleOperator, type Settings } from '@portcullis/operator'

/** The whole operator, as `portcullis operator` assembles it, that can crash at a write. */
export class CrashingOperator {
  /** What it wrote, Events aside. */
  readonly written: string[] = []
  /** Resolves when it has crashed at a write. */
  readonly crashed: Promise<void>
  readonly #stop = new AbortController()
  readonly #client: Client
  readonly #running: Promise<void>
  #lastWrite = Infinity

  constructor(access: ClusterAccess, settings: Settings) {
    const metrics = createMetrics('portcullis')
    const parts = { clock: systemClock, random: Math.random, log: silentLogger, metrics }
    this.#client = Client.connect({ access, userAgent: 'portcullis/crash-test', ...parts })
    let die = () => {}
    this.crashed = new Promise((resolve) => {
      die = resolve
    })
    const client = crashing(this.#client, (write) => {
      this.written.push(write)
      if (this.written.length < this.#lastWrite) return true
      die()
      return false
    })
    const manager = new Manager({
      ...parts,
      client,
      name: 'portcullis',
      instance: 'portcullis-0',
      graceMs: 20,
    })
    assembleOperator({ manager, settings, clock: systemClock, metrics })
    this.#running = manager.run(this.#stop.signal)
  }

  /** It will carry so many more writes out; the answer to the last one never reaches it. */
  crashAfter(writes: number): void {
    this.#lastWrite = this.written.length + writes
  }

  /** Nothing of it is left when this resolves. */
  async end(): Promise<void> {
    this.#stop.abort(new Error('the operator ends'))
    await this.#running
    await this.#client.close()
  }
}

const writingVerbs = ['create', 'replace', 'patch', 'delete']

/** @param survives called after each write that was carried out; whether the operator goes on */
function crashing(client: Client, survives: (write: string) => boolean): Client {
  let dead = false
  const write = (verb: string, method: (...args: unknown[]) => Promise<unknown>) => {
    return async (...args: [Kind, { name?: string; metadata?: { name?: string } }, ...unknown[]]) => {
      if (dead) throw new WriteRefusedError('The operator is dead.')
      const [{ kind }, object] = args
      const answer = await method.apply(client, args)
      if (kind === 'Event' || dead) return answer
      dead = !survives(`${verb} ${kind} ${object.name ?? object.metadata?.name}`)
      if (dead) throw new WriteRefusedError('The operator crashed before it heard the answer.')
      return answer
    }
  }
  return new Proxy(client, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property)
      if (typeof value !== 'function') return value
      return writingVerbs.includes(String(property))
        ? write(String(property), value as never)
        : value.bind(target)
    },
  })
}
