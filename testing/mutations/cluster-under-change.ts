import { mergePatchBetween, type Persisted } from '@portcullis/kube'
import type {
  InfrastructureObject as Infrastructure,
  IngressControllerObject as IngressController,
} from '@portcullis/operator'
import {
  autoDeleteAnnotation,
  nodePortServiceName,
  routerName,
} from '@portcullis/operator/internal/ingress/names.ts'
import { asApplied } from '@portcullis/operator/testing'
import type { CloudPlatformName } from '@portcullis/sandbox/internal/controllers/cloud/platforms.ts'
import type { AnyObject } from '@portcullis/schema'
import { cluster, operandNamespace, operatorNamespace, user } from '../faults/simulation/api.ts'
import { Simulation } from '../faults/simulation/simulation.ts'
import type { Exception, ObservedController } from './exceptions.ts'
import type { MutatedKind } from './fields.ts'
import { mutatedName } from './samples.ts'
import type { JsonObject } from './values.ts'

export type Part = 'spec' | 'status'

/** All that people declare, and that decides how everything ends. */
export interface Declared {
  readonly platform: CloudPlatformName
  readonly spec: JsonObject | undefined
  /** Whether the controller carries the annotation by which its load balancer may be deleted. */
  readonly consents: boolean
  readonly infrastructure: { readonly spec?: JsonObject; readonly status?: JsonObject } | undefined
}

/** What the API server says to a change. */
export interface ApiResponse {
  readonly code: number
  readonly message: string
}

/** One write of the operator. */
export interface OperatorWrite {
  readonly collection: string
  readonly key: string
  readonly at: number
}

const places = {
  IngressController: {
    path: `/apis/operator.openshift.io/v1/namespaces/${operatorNamespace}/ingresscontrollers`,
    collection: 'operator.openshift.io/ingresscontrollers',
    key: `${operatorNamespace}/${mutatedName}`,
    name: mutatedName,
    apiVersion: 'operator.openshift.io/v1',
  },
  Infrastructure: {
    path: '/apis/config.openshift.io/v1/infrastructures',
    collection: 'config.openshift.io/infrastructures',
    key: 'cluster',
    name: 'cluster',
    apiVersion: 'config.openshift.io/v1',
  },
} as const satisfies Record<MutatedKind, object>

/** Quiet time after each change: all grace periods are over by then. */
const quietMs = 130_000
/** At the end nothing must be written for so long. */
const writelessMs = 15_000

/** A simulation with one operator and one controller, and what people do to what they declare there. */
export class ClusterUnderChange {
  readonly simulation: Simulation
  /** What the operator wrote since it was last asked, Events aside. */
  #writes: OperatorWrite[] = []
  /** What the API server would not do for the operator. */
  #refused: string[] = []
  /** The Service of the load balancer, and the platform for which it was made. */
  #made: { readonly uid: string | undefined; readonly platform: string } | undefined

  private constructor(simulation: Simulation) {
    this.simulation = simulation
    simulation.api.observe(({ collection, key }, writer) => {
      const uid = this.#service(routerName(mutatedName))?.metadata.uid
      if (uid !== this.#made?.uid) this.#made = { uid, platform: this.#namedPlatform }
      if (writer === user || writer === cluster || collection === 'events') return
      this.#writes.push({ collection, key, at: simulation.clock.monotonic() })
    })
  }

  /** A cluster in which this was declared from the beginning, at rest. */
  static async with(declared: Declared): Promise<ClusterUnderChange> {
    const { platform, spec, infrastructure } = declared
    const cluster: ClusterUnderChange = new ClusterUnderChange(
      await Simulation.on({
        platform,
        operators: 1,
        seed: 1,
        writeMode: 'checks every write',
        interference: { request: () => ({ fate: 'passes' }), event: () => ({ fate: 'passes' }) },
        onRequest: (point, _fate, answer) => cluster.#noteRefusal(point, answer),
      }),
    )
    if (infrastructure !== undefined) cluster.declareInfrastructure(infrastructure)
    // It was applied once with neither: what kubectl remembers must not depend on what is compared.
    const { metadata, ...applied } = asApplied({
      apiVersion: 'operator.openshift.io/v1',
      kind: 'IngressController',
      metadata: { name: mutatedName, namespace: operatorNamespace },
    })
    const consent = declared.consents ? { [autoDeleteAnnotation]: '' } : {}
    cluster.#demand('POST', places.IngressController.path, {
      ...applied,
      metadata: { ...metadata, annotations: { ...metadata.annotations, ...consent } },
      ...(spec !== undefined && { spec }),
    })
    cluster.simulation.startOperators()
    await cluster.rest()
    return cluster
  }

  end(): void {
    this.simulation.end()
  }

  /** Lets everything happen, and says whether it ever ends. */
  async rest(): Promise<readonly string[]> {
    await this.simulation.rest()
    await this.simulation.pass(quietMs)
    const last = this.#writes.at(-1)
    const ago = last === undefined ? Infinity : this.simulation.clock.monotonic() - last.at
    return ago < writelessMs
      ? [`the operator still wrote ${last?.collection} ${last?.key} ${ago} ms ago, and nobody does anything`]
      : []
  }

  // ── what people do ──

  /** Writes a part of an object, whole or as the patch that makes the difference. */
  write(kind: MutatedKind, part: Part, next: unknown, how: 'replace' | 'patch'): ApiResponse {
    const { path, name } = places[kind]
    const live = this.live(kind) as unknown as JsonObject
    const target = `${path}/${name}${part === 'status' ? '/status' : ''}`
    if (how === 'replace') return this.#ask('PUT', target, { ...live, [part]: next })
    const before = live[part] === undefined ? {} : { [part]: live[part] }
    const after = next === undefined ? {} : { [part]: next }
    return this.#ask('PATCH', target, mergePatchBetween(before, after) ?? {})
  }

  consent(isGiven: boolean): void {
    const annotations = { [autoDeleteAnnotation]: isGiven ? '' : null }
    this.#demand('PATCH', `${places.IngressController.path}/${mutatedName}`, { metadata: { annotations } })
  }

  endException(how: NonNullable<Exception['endedBy']>): void {
    const name = how === 'deleting the Service' ? routerName(mutatedName) : nodePortServiceName(mutatedName)
    this.#demand('DELETE', `/api/v1/namespaces/${operandNamespace}/services/${name}`)
  }

  declareInfrastructure({ spec, status }: NonNullable<Declared['infrastructure']>): void {
    const { path, apiVersion } = places.Infrastructure
    const object = {
      apiVersion,
      kind: 'Infrastructure',
      metadata: { name: 'cluster' },
      ...(spec && { spec }),
    }
    this.#demand('POST', path, object)
    if (status === undefined) return
    const answer = this.write('Infrastructure', 'status', status, 'replace')
    if (answer.code >= 300) throw new Error(answer.message)
  }

  deleteInfrastructure(): void {
    this.#demand('DELETE', `${places.Infrastructure.path}/cluster`)
  }

  // ── what there is ──

  live(kind: MutatedKind): AnyObject | undefined {
    return this.simulation.api.storage.get(places[kind].collection, places[kind].key)
  }

  get controller(): Persisted<IngressController> {
    return this.live('IngressController') as unknown as Persisted<IngressController>
  }

  get declared(): Declared {
    const infrastructure = this.live('Infrastructure') as Declared['infrastructure']
    const { spec, metadata } = this.controller
    return {
      platform: this.simulation.platform,
      spec,
      consents: metadata.annotations?.[autoDeleteAnnotation] !== undefined,
      infrastructure: infrastructure && {
        ...(infrastructure.spec && { spec: infrastructure.spec }),
        ...(infrastructure.status && { status: infrastructure.status }),
      },
    }
  }

  get seen(): ObservedController {
    const service = this.#service(routerName(mutatedName))
    return {
      controller: this.controller,
      service,
      hasNodePortService: this.#service(nodePortServiceName(mutatedName)) !== undefined,
      wasMadeForAnother: service !== undefined && this.#made?.platform !== this.#namedPlatform,
    }
  }

  #service(name: string): AnyObject | undefined {
    return this.simulation.api.storage.get('services', `${operandNamespace}/${name}`)
  }

  get #namedPlatform(): string {
    const { platformStatus, platform } =
      (this.live('Infrastructure') as Infrastructure | undefined)?.status ?? {}
    return platformStatus?.type || platform || this.simulation.platform
  }

  takeWrites(): readonly OperatorWrite[] {
    return this.#writes.splice(0)
  }

  takeRefusals(): readonly string[] {
    return this.#refused.splice(0)
  }

  #noteRefusal({ method, path }: { method: string; path: string }, answer: object | undefined): void {
    const { status = 200, body = '' } = (answer ?? {}) as { status?: number; body?: string }
    // A conflict is no refusal, and what is gone need not be changed.
    if (status < 400 || status === 404 || status === 409) return
    this.#refused.push(`${method} ${path.replace(/\?.*/, '')}: ${status} ${body.slice(0, 500)}`)
  }

  #ask(method: string, path: string, body?: object): ApiResponse {
    const { api } = this.simulation
    const answer = api.as(user, () =>
      api.answer({
        method,
        path: method === 'PATCH' ? `${path}?fieldManager=kubectl-edit` : path,
        contentType: method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
        body: body && JSON.stringify(body),
        userAgent: 'kubectl/1',
      }),
    )
    if (!('status' in answer)) throw new Error(`${method} ${path} is a watch`)
    return { code: answer.status, message: answer.status < 300 ? '' : messageIn(answer.body) }
  }

  #demand(method: string, path: string, body?: object): void {
    const { code, message } = this.#ask(method, path, body)
    if (code >= 300) throw new Error(`${method} ${path}: ${code} ${message}`)
  }
}

function messageIn(body: string): string {
  try {
    return (JSON.parse(body) as { message?: string }).message ?? body
  } catch {
    return body
  }
}
