import type { Persisted } from '@portcullis/kube'
import { isSameJson, timestamp } from '@portcullis/kube'
import type { Deployment } from 'kubernetes-types/apps/v1'
import type { Pod, PodSpec } from 'kubernetes-types/core/v1'
import type { LabelSelector } from 'kubernetes-types/meta/v1'
import { type Api, cluster } from './api.ts'
import type { SimulatedClock } from './simulated-clock.ts'

const beginsAfterMs = 50
const startsAfterMs = 1_000

/**
 * What becomes of Deployments: pods that find a node where their ports are free, start, and are replaced when their
 * template changes. One step at a time, and always the same.
 */
export class Workloads {
  readonly #api: Api
  readonly #clock: SimulatedClock
  readonly #due = new Set<string>()
  /** By template: the number of a pod shows when it was made. */
  #made = 0

  constructor(api: Api, clock: SimulatedClock, before?: Workloads) {
    if (before !== undefined) this.#made = before.#made
    this.#api = api
    this.#clock = clock
    const { storage } = api
    storage.subscribe('apps/deployments', ({ key, type, object, previous }) => {
      if (type === 'MODIFIED' && object.metadata.generation === previous?.metadata.generation) return
      this.#enqueue(key)
    })
    storage.subscribe('pods', ({ type, object }) => {
      if (type === 'DELETED') this.#enqueueAll()
      const owner = object.metadata.ownerReferences?.[0]
      if (owner !== undefined) this.#enqueue(`${object.metadata.namespace}/${owner.name}`)
    })
  }

  #enqueueAll(): void {
    for (const [key] of this.#api.storage.list('apps/deployments')) this.#enqueue(key)
  }

  #enqueue(key: string): void {
    if (this.#due.has(key)) return
    this.#due.add(key)
    this.#clock.after(beginsAfterMs, () => {
      this.#due.delete(key)
      this.#api.as(cluster, () => this.#reconcile(key))
    })
  }

  #reconcile(key: string): void {
    const { storage } = this.#api
    const deployment = storage.get('apps/deployments', key) as Persisted<Deployment> | undefined
    const [namespace = '', name = ''] = key.split('/')
    const pods = this.#pods(namespace).filter(({ metadata }) => metadata.ownerReferences?.[0]?.name === name)
    if (deployment === undefined) {
      for (const pod of pods) storage.remove('pods', `${namespace}/${pod.metadata.name}`)
      return
    }
    const template = templateName(deployment)
    const wanted = deployment.spec?.replicas ?? 1
    const ofNow = pods.filter((pod) => templateOf(pod) === template)
    const before = pods.filter((pod) => templateOf(pod) !== template)
    const isReplaced = ofNow.length >= wanted && ofNow.every(isReady)
    const surges = deployment.spec?.strategy?.rollingUpdate?.maxSurge !== 0
    for (const pod of ofNow.slice(wanted)) this.#remove(pod)
    if (isReplaced || !surges) for (const pod of before) this.#remove(pod)
    else if (ofNow.some(({ spec }) => !spec?.nodeName)) this.#remove(before[0])
    for (let index = ofNow.length; index < wanted; index++) this.#make(deployment, template, index)
    for (const pod of ofNow.slice(0, wanted)) if (!pod.spec?.nodeName) this.#place(pod)
    this.#writeStatus(key, deployment, template)
  }

  #pods(namespace?: string): Persisted<Pod>[] {
    const prefix = namespace === undefined ? '' : `${namespace}/`
    return this.#api.storage.list('pods', prefix).map(([, object]) => object as unknown as Persisted<Pod>)
  }

  #remove(pod: Persisted<Pod> | undefined): void {
    if (pod === undefined) return
    this.#api.storage.remove('pods', `${pod.metadata.namespace}/${pod.metadata.name}`)
  }

  #make({ metadata, spec }: Persisted<Deployment>, template: string, index: number): void {
    const { namespace = '', name, uid } = metadata
    const podName = `${name}-${template}-${index}`
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        namespace,
        name: podName,
        uid: `pod-${podName}-${++this.#made}`,
        creationTimestamp: timestamp(this.#clock.now()),
        labels: spec?.template.metadata?.labels ?? {},
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name, uid, controller: true }],
      },
      spec: spec?.template.spec ?? { containers: [] },
      status: { phase: 'Pending', conditions: [] },
    }
    this.#api.put('pods', `${namespace}/${podName}`, pod)
    this.#place(pod as unknown as Persisted<Pod>)
  }

  #place(pod: Persisted<Pod>): void {
    const { storage } = this.#api
    const key = `${pod.metadata.namespace}/${pod.metadata.name}`
    const ports = hostPorts(pod.spec)
    const nodes = storage.list('nodes').map(([name]) => name)
    const all = this.#pods().filter(({ metadata }) => metadata.uid !== pod.metadata.uid)
    const taken = (node: string) =>
      new Set(all.filter(({ spec }) => spec?.nodeName === node).flatMap(({ spec }) => hostPorts(spec)))
    const load = (node: string) => all.filter(({ spec }) => spec?.nodeName === node).length
    const shuns = (node: string) =>
      all.some((other) => other.spec?.nodeName === node && keepsApart(pod, other))
    const [node] = nodes
      .filter((name) => ports.every((port) => !taken(name).has(port)) && !shuns(name))
      .sort((one, other) => load(one) - load(other) || (one < other ? -1 : 1))
    const now = timestamp(this.#clock.now())
    const scheduled =
      node === undefined
        ? {
            type: 'PodScheduled',
            status: 'False',
            reason: 'Unschedulable',
            message: `0/${nodes.length} nodes are available: ${nodes.length} node(s) didn't have free ports for the requested pod ports.`,
            lastTransitionTime: now,
          }
        : { type: 'PodScheduled', status: 'True', lastTransitionTime: now }
    const stored = storage.get('pods', key)
    if (stored === undefined) return
    const known = (stored['status'] as Pod['status'])?.conditions?.[0]
    if (node === undefined && known?.status === 'False') return
    this.#api.put('pods', key, {
      ...stored,
      spec: { ...(stored['spec'] as object), ...(node !== undefined && { nodeName: node }) },
      status: { phase: 'Pending', conditions: [scheduled] },
    })
    if (node !== undefined) this.#clock.after(startsAfterMs, () => this.#start(key, pod.metadata.uid))
  }

  #start(key: string, uid: string): void {
    const { storage } = this.#api
    const stored = storage.get('pods', key)
    if (stored?.metadata.uid !== uid) return
    const now = timestamp(this.#clock.now())
    const conditions = ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
      type,
      status: 'True',
      lastTransitionTime: now,
    }))
    this.#api.as(cluster, () =>
      this.#api.put('pods', key, {
        ...stored,
        status: {
          phase: 'Running',
          conditions,
          podIP: '10.128.0.1',
          containerStatuses: [{ name: 'router', ready: true, started: true, restartCount: 0 }],
        },
      }),
    )
  }

  #writeStatus(key: string, { metadata, spec }: Persisted<Deployment>, template: string): void {
    const { storage } = this.#api
    const [namespace = ''] = key.split('/')
    const pods = this.#pods(namespace).filter(
      (pod) => pod.metadata.ownerReferences?.[0]?.name === metadata.name,
    )
    const ready = pods.filter(isReady).length
    const wanted = spec?.replicas ?? 1
    const updated = pods.filter((pod) => templateOf(pod) === template)
    const isOut = updated.length === wanted && pods.length === wanted && ready === wanted
    const stored = storage.get('apps/deployments', key)
    if (stored === undefined) return
    const isAvailable = ready >= Math.ceil(wanted / 2)
    const status = {
      observedGeneration: metadata.generation,
      replicas: pods.length,
      updatedReplicas: updated.length,
      readyReplicas: ready,
      availableReplicas: ready,
      conditions: [
        {
          type: 'Available',
          status: isAvailable ? 'True' : 'False',
          reason: isAvailable ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
          message: isAvailable ? 'Deployment has minimum availability.' : 'too few pods',
        },
        {
          type: 'Progressing',
          status: 'True',
          reason: isOut ? 'NewReplicaSetAvailable' : 'ReplicaSetUpdated',
        },
      ],
    }
    if (isSameJson(status, stored['status'])) return
    this.#api.put('apps/deployments', key, { ...stored, status })
  }
}

/** What is stored never changes, and a template stays the same through many versions of its Deployment. */
const templateNames = new WeakMap<object, string>()

function templateName({ spec }: Persisted<Deployment>): string {
  const template = spec?.template ?? {}
  const name = templateNames.get(template) ?? hashOf(JSON.stringify(template))
  templateNames.set(template, name)
  return name
}

function hashOf(text: string): string {
  let hash = 0
  for (let index = 0; index < text.length; index++) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0
  return (hash >>> 0).toString(36)
}

function templateOf({ metadata }: Persisted<Pod>): string {
  return metadata.name.split('-').at(-2) ?? ''
}

function isReady({ status }: Persisted<Pod>): boolean {
  return status?.phase === 'Running'
}

/** Whether a pod requires a node without the other one: the only topology here is the node. */
function keepsApart({ metadata, spec }: Persisted<Pod>, other: Persisted<Pod>): boolean {
  const terms = spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
  const isSameNamespace = metadata.namespace === other.metadata.namespace
  return isSameNamespace && terms.some(({ labelSelector }) => isSelected(other, labelSelector))
}

/** By labels alone: the Deployments here select by nothing else. */
function isSelected({ metadata }: Persisted<Pod>, selector: LabelSelector | undefined): boolean {
  const { matchLabels, matchExpressions = [] } = selector ?? {}
  if (matchExpressions.length > 0)
    throw new Error('Expressions in a required anti-affinity are not simulated.')
  return Object.entries(matchLabels ?? {}).every(([label, value]) => metadata.labels?.[label] === value)
}

function hostPorts(spec: PodSpec | undefined): number[] {
  return (spec?.containers ?? []).flatMap(({ ports = [] }) => ports.flatMap(({ hostPort }) => hostPort || []))
}
