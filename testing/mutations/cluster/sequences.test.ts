import { ApiError, mergePatchBetween, type Random, Service } from '@portcullis/kube'
import { IngressController } from '@portcullis/operator'
import { expect } from 'vitest'
import { eventually } from '../../clusters/eventually.ts'
import type { Cluster } from '../../e2e/cluster.ts'
import { byHand, type Router } from '../../e2e/router.ts'
import { stories } from '../../e2e/story.ts'
import { seeded } from '../../faults/simulation/random.ts'
import { rootOf } from '../change-run.ts'
import { anyChange, applied, type Change } from '../changes.ts'
import { isProperRefusal, namesTheField, nothingChanges, refusalOf, rightVerdict } from '../checks.ts'
import { comparedWithout, exceptions } from '../exceptions.ts'
import { type Field, fieldsOf } from '../fields.ts'
import { differences, type State } from '../state.ts'
import { type JsonObject, pick, placeOf, validValue } from '../values.ts'
import { LiveControllers } from './live-controllers.ts'

/** As many sequences are played altogether, as far as there is time for them; and with this seed. `npm run proof` plays more. */
const total = Number(process.env['PORTCULLIS_SEQUENCES'] ?? 90)
const seed = Number(process.env['PORTCULLIS_SEED'] ?? 1)
const playingMs = Number(process.env['PORTCULLIS_SEQUENCES_MS'] ?? 240_000)
/** So many are played however long they take: fewer say little. */
const least = Math.min(total, 200)

const platforms = ['AWS', 'Azure', 'OpenStack'] as const
/** So many controllers in each cluster at once. */
const lanes = 6

const { story } = stories({ timeoutMs: 15 * 60_000, atOnce: platforms.length })

for (const [at, platform] of platforms.entries()) {
  story(
    `${platform}: a controller after any sequence of changes equals one that was created so`,
    async (cluster) => {
      cluster.on(platform)
      await cluster.startOperator()
      const live = new LiveControllers(cluster)
      const failures: string[] = []
      const share = Math.ceil(total / platforms.length)
      const numbers = Array.from({ length: share }, (_, index) => index * platforms.length + at)
      const leastHere = Math.ceil(least / platforms.length)
      const begun = performance.now()
      const end = begun + playingMs
      const played = () => share - numbers.length
      const goesOn = () => played() < leastHere || performance.now() < end
      const players = Array.from({ length: lanes }, () => new SequencePlayer(cluster, live))
      try {
        await live.synced()
        await Promise.all(players.map((player) => playSequences(player, numbers, goesOn, failures)))
        await cluster.waitUntilQuiescent()
      } finally {
        await live.stop()
      }
      const changes = players.reduce((sum, player) => sum + player.changes, 0)
      const seconds = ((performance.now() - begun) / 1000).toFixed(0)
      console.log(
        `${platform}: ${played()} of ${share} sequences (no fewer than ${leastHere}) with ${changes} changes were played in ${seconds} s, seed ${seed}`,
      )
      expect(failures, `PORTCULLIS_SEED=${seed}`).toEqual([])
      expect(played()).toBeGreaterThanOrEqual(leastHere)
      expect(changes).toBeGreaterThanOrEqual(played())
    },
  )
}

/** One sequence after the other, on one controller as long as nothing is wrong with it. */
async function playSequences(
  player: SequencePlayer,
  numbers: number[],
  goesOn: () => boolean,
  failures: string[],
): Promise<void> {
  while (goesOn()) {
    const number = numbers.shift()
    if (number === undefined) break
    failures.push(...(await player.play(number)))
  }
  failures.push(...(await player.end()))
}

const fields = fieldsOf('IngressController').filter(({ path }) => path[0] === 'spec' && path.length > 1)
const strategyFields = fields.filter(({ path }) => path[1] === 'endpointPublishingStrategy')

/** Controllers side by side must not want the same, and routers of all are more than three nodes can run. */
function isPossibleHere({ field, verdict }: Change): boolean {
  const isShared = field.path[1] === 'domain' || field.path[1] === 'replicas'
  return !isShared || verdict === 'invalid'
}

class SequencePlayer {
  readonly #cluster: Cluster
  readonly #live: LiveControllers
  #router: Router
  #random: Random = seeded(seed)
  #done: string[] = []
  #broken: string[] = []
  #hasBegun = false
  /** How many were written, refused ones too. */
  changes = 0

  constructor(cluster: Cluster, live: LiveControllers) {
    this.#cluster = cluster
    this.#live = live
    this.#router = cluster.router('nobody')
  }

  /** @returns what is wrong, with all that was done before */
  async play(number: number): Promise<readonly string[]> {
    this.#random = seeded(seed * 1_000_003 + number)
    try {
      if (!this.#hasBegun) await this.#begin(number)
      const length = 1 + Math.floor(this.#random() * 4)
      // Much cannot be removed, or is so already: then another change is chosen.
      for (let step = 0; step < length; ) if (await this.#change()) step++
      await this.#compare(number)
    } catch (error) {
      this.#broken.push(String(error))
    }
    return this.#takeFailures()
  }

  async end(): Promise<readonly string[]> {
    await this.#remove().catch((error: unknown) => this.#broken.push(String(error)))
    return this.#takeFailures()
  }

  /** With what is wrong with one controller nothing more can be learned from it. */
  #takeFailures(): readonly string[] {
    const broken = this.#broken.map((what) => `${what}\n  after ${this.#done.join('; ')}`)
    if (broken.length > 0) this.#hasBegun = false
    this.#broken = []
    return broken
  }

  async #begin(number: number): Promise<void> {
    await this.#remove()
    this.#router = this.#cluster.router(`m${number}`)
    this.#done = []
    for (;;) {
      const [root] = fieldsOf('IngressController')
      const made = validValue(root as Field, this.#random, 0.3) as JsonObject
      const spec = { ...made, domain: `${this.#router.name}.example.com`, replicas: 0 }
      if (!(await this.#create(spec))) continue
      await this.#live.settled(this.#router.name)
      this.#hasBegun = this.#refusal === undefined
      if (this.#hasBegun) return
      await this.#remove()
    }
  }

  async #create(spec: JsonObject, router = this.#router): Promise<boolean> {
    this.#done.push(`${router.name} is created with ${JSON.stringify(spec)}`)
    try {
      const object = { metadata: router.ref, spec }
      this.#live.expect(await this.#cluster.client.create(IngressController, object, byHand))
      return true
    } catch (error) {
      if (error instanceof ApiError && error.code === 422) return false
      throw error
    }
  }

  get #refusal(): string | undefined {
    return refusalOf(this.#live.seen(this.#router.name).controller.status as Parameters<typeof refusalOf>[0])
  }

  /** @returns whether there was anything to change */
  async #change(): Promise<boolean> {
    const field = pick(this.#random() < 0.5 ? strategyFields : fields, this.#random)
    const change = field && anyChange(field, this.#random)
    if (change === undefined || !isPossibleHere(change)) return false
    const root = rootOf('IngressController', change.field)
    const { spec: before = {} } = (await this.#router.read()) as { spec?: JsonObject }
    const next = applied(before, change, root, this.#random)
    if (next === undefined) return false
    // What may be refused must find everything at rest, so that it can be seen to change nothing.
    if (change.verdict !== 'valid') await this.#live.settled(this.#router.name)
    const place = placeOf(change.field, root)
    this.#done.push(`${change.kind} ${place.join('.')} = ${JSON.stringify(change.value)?.slice(0, 200)}`)
    const earlier = this.#live.stateOf(this.#router.name)
    this.changes++
    const refusal = await this.#write(before, next)
    if (refusal !== undefined) {
      this.#broken.push(
        ...isProperRefusal(refusal),
        ...rightVerdict(change, refusal.message),
        ...namesTheField(change, 'spec', place, refusal.message),
      )
      return true
    }
    await this.#checkWrite(change, place, before, earlier)
    return true
  }

  /** @returns what the API server says against it */
  async #write(before: JsonObject, next: JsonObject): Promise<{ code: number; message: string } | undefined> {
    try {
      if (this.#random() < 0.5) {
        const patch = mergePatchBetween({ spec: before }, { spec: next }) ?? {}
        this.#live.expect(await this.#router.patch(patch))
      } else {
        const live = await this.#router.read()
        const object = { ...live, spec: next } as never
        this.#live.expect(await this.#cluster.client.replace(IngressController, object, byHand))
      }
      return undefined
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.code === 409) return this.#write(before, next)
      return { code: error.code, message: error.message }
    }
  }

  async #checkWrite(
    change: Change,
    place: readonly string[],
    before: JsonObject,
    earlier: State,
  ): Promise<void> {
    const { name } = this.#router
    await this.#live.answered(name)
    const refusal = this.#refusal
    this.#broken.push(...rightVerdict(change, refusal))
    if (refusal === undefined) return
    await this.#live.settled(name)
    this.#broken.push(...namesTheField(change, 'spec', place, refusal))
    if (change.verdict !== 'valid')
      this.#broken.push(...nothingChanges(earlier, this.#live.stateOf(name), []))
    const { spec: now = {} } = (await this.#router.read()) as { spec?: JsonObject }
    await this.#write(now, before)
    this.#done.push('which is taken back')
  }

  /** With another controller that never was anything else. */
  async #compare(number: number): Promise<void> {
    const { name } = this.#router
    await this.#live.settled(name)
    await this.#endWaits()
    const seen = this.#live.seen(name)
    const kept = exceptions.find(({ asIf, holds }) => asIf !== undefined && holds(seen))
    const asked = (seen.controller.spec ?? {}) as JsonObject
    const spec = JSON.stringify(kept?.asIf?.(asked, seen) ?? asked)
    const fresh = this.#cluster.router(`f${number}`)
    await this.#create(JSON.parse(spec.replaceAll(name, fresh.name)) as JsonObject, fresh)
    try {
      await this.#live.settled(fresh.name)
      const without = comparedWithout(seen)
      await eventually(() => {
        const [wanted, found] = [this.#live.stateOf(fresh.name), this.#live.stateOf(name)]
        expect(differences(wanted, found, (_, object) => without(object))).toEqual([])
      }, 10_000)
    } finally {
      await this.#remove(fresh)
    }
  }

  /** Does what a person is asked to do, where something waits for it. */
  async #endWaits(): Promise<void> {
    const { name, operandRef } = this.#router
    for (const { endedBy, holds } of exceptions) {
      if (endedBy !== 'deleting the Service' || !holds(this.#live.seen(name))) continue
      this.#done.push('the Service is deleted')
      await this.#cluster.client.delete(Service, operandRef)
      await this.#live.serviceGoes(name)
      await this.#live.settled(name)
    }
  }

  async #remove(router = this.#router): Promise<void> {
    if (this.#live.controller(router.name) === undefined) return
    await router.delete()
    await this.#live.isGone(router.name)
  }
}
