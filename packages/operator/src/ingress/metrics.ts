import { type Clock, findCondition, type Key, parseTime, refOf } from '@portcullis/kube'
import { Gauge, type Registry } from 'prom-client'
import type { Scope } from '../api/endpoint-publishing-strategy.ts'
import { waitsForUser } from './conditions/load-balancer.ts'
import { unplacedCauses } from './conditions/pods.ts'
import type { Status } from './decision.ts'

const reported = [
  'Admitted',
  'Available',
  'Progressing',
  'Degraded',
  'Upgradeable',
  'LoadBalancerReady',
  'PortsAvailable',
] as const
const causes = [...unplacedCauses, 'Unknown'] as const
const value = { True: 1, False: 0, Unknown: -1 } as const

interface Known {
  readonly scope: Scope | undefined
  /** Since when a change waits for a person. */
  readonly pendingSince: Date | undefined
}

/** What is counted about controllers. What a controller leaves behind is removed with it. */
export class IngressMetrics {
  readonly #known = new Map<Key, Known>()
  readonly #conditions: Gauge<'name' | 'condition'>
  readonly #unplaced: Gauge<'name' | 'cause'>
  readonly #orphaned: Gauge<'name'>
  readonly #contested: Gauge<'name'>

  constructor({
    registry,
    clock,
    prefix = 'portcullis',
  }: { registry: Registry; clock: Clock; prefix?: string }) {
    const registers = [registry]
    const known = this.#known
    this.#conditions = new Gauge({
      name: `${prefix}_ingress_controller_condition`,
      help: 'Status of the conditions of IngressControllers: 1 True, 0 False, -1 Unknown.',
      labelNames: ['name', 'condition'],
      registers,
    })
    this.#unplaced = new Gauge({
      name: `${prefix}_ingress_controller_unplaced_routers`,
      help: 'Routers that cannot be scheduled, by cause.',
      labelNames: ['name', 'cause'],
      registers,
    })
    this.#orphaned = new Gauge({
      name: `${prefix}_left_behind_objects`,
      help: 'Objects of IngressControllers that no longer exist and were not cleaned up; the log contains the command that deletes them.',
      labelNames: ['name'],
      registers,
    })
    this.#contested = new Gauge({
      name: `${prefix}_ingress_controller_contested_fields`,
      help: 'Fields of objects of IngressControllers that another client keeps changing and that the operator leaves alone for now.',
      labelNames: ['name'],
      registers,
    })
    const pendingChanges = new Gauge({
      name: `${prefix}_ingress_controller_pending_change_seconds`,
      help: 'Seconds for which a change of a load balancer has been waiting for the user.',
      labelNames: ['name'],
      registers: [],
      collect() {
        this.reset()
        for (const [key, { pendingSince }] of known) {
          if (pendingSince === undefined) continue
          this.set({ name: refOf(key).name }, (clock.now().getTime() - pendingSince.getTime()) / 1000)
        }
      },
    })
    const loadBalancers = new Gauge({
      name: `${prefix}_load_balancers`,
      help: 'Load balancers of IngressControllers, by requested scope.',
      labelNames: ['scope'],
      registers: [],
      collect() {
        for (const scope of ['Internal', 'External'] as const) {
          this.set({ scope }, [...known.values()].filter((each) => each.scope === scope).length)
        }
      },
    })
    for (const gauge of [pendingChanges, loadBalancers]) registry.registerMetric(gauge)
  }

  report(
    key: Key,
    { conditions, endpointPublishingStrategy }: Status,
    { unplaced = 0, contested = 0 } = {},
  ): void {
    const { name } = refOf(key)
    this.#removeUnplaced(name)
    this.#orphaned.remove({ name })
    if (contested > 0) this.#contested.set({ name }, contested)
    else this.#contested.remove({ name })
    const cause = findCondition(conditions, 'PodsScheduled')?.reason ?? 'Unknown'
    if (unplaced > 0) this.#unplaced.set({ name, cause }, unplaced)
    for (const condition of reported) {
      const found = findCondition(conditions, condition)
      if (found === undefined) this.#conditions.remove({ name, condition })
      else this.#conditions.set({ name, condition }, value[found.status])
    }
    const progressing = findCondition(conditions, 'LoadBalancerProgressing')
    this.#known.set(key, {
      scope: endpointPublishingStrategy?.loadBalancer?.scope,
      pendingSince: waitsForUser(progressing)
        ? (parseTime(progressing?.lastTransitionTime) ?? new Date(0))
        : undefined,
    })
  }

  forget(key: Key): void {
    this.#removeUnplaced(refOf(key).name)
    this.#contested.remove({ name: refOf(key).name })
    this.#known.delete(key)
    for (const condition of reported) this.#conditions.remove({ name: refOf(key).name, condition })
  }

  reportOrphaned(key: Key, objects: number): void {
    const { name } = refOf(key)
    if (objects > 0) this.#orphaned.set({ name }, objects)
    else this.#orphaned.remove({ name })
  }

  #removeUnplaced(name: string): void {
    for (const cause of causes) this.#unplaced.remove({ name, cause })
  }
}
