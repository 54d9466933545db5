import { Deployment, type Kind, PodDisruptionBudget, Service } from '@portcullis/kube'
import { describe, expect, test } from 'vitest'
import { anIngressController } from '../testing/a-snapshot.ts'
import type { Scene } from '../testing/scene.ts'
import { Consent } from './consent.ts'
import { backOff, type ContestedField, fieldsWritten, valueAt } from './contested-fields.ts'
import { create, deleteWithConsent, dependingOn, update } from './decision.ts'
import { IngressController } from './kinds.ts'
import type { IngressControllerEvent } from './reasons/reasons.ts'

/** Rounds in which another client changes what we then restore. */
function fight(scene: Scene, change: () => void, rounds = 5): Scene {
  for (let round = 0; round < rounds; round++) {
    change()
    scene.settle()
  }
  return scene
}

const onAws = () => anIngressController().on('AWS').spec({ replicas: 2 }).published()
const scaleTo = (scene: Scene, replicas: number, manager = 'hpa') =>
  scene.edit('Deployment', { spec: { replicas } }, { manager })
const contested = (scene: Scene) => {
  const { status, reason, message } = scene.condition('OperandsManaged')
  return { isContested: status === 'False' && reason === 'Contested', message }
}

describe('after five conflicts with the same field manager', () => {
  test('The operator leaves the field to the other manager after five conflicts, and names it', () => {
    const scene = onAws()
    fight(scene, () => scaleTo(scene, 4))
    expect(scene.deployment.spec.replicas).toBe(2)
    scaleTo(scene, 4).settle()
    expect(scene.deployment.spec.replicas).toBe(4)
    expect(contested(scene)).toEqual({
      isContested: true,
      message: expect.stringContaining(
        '"hpa" keeps changing spec.replicas of Deployment openshift-ingress/router-edge.',
      ),
    })
  })

  test('One event reports five conflicts, and the controller is degraded after 30 seconds', () => {
    const scene = onAws()
    fight(scene, () => scaleTo(scene, 4))
    const { events } = scaleTo(scene, 4).decide()
    expect(events).toEqual([])
    expect(scene.condition('Degraded').status).toBe('False')
    scene.later(31).settle()
    expect(scene.condition('Degraded')).toMatchObject({
      status: 'True',
      message: expect.stringContaining('OperandsManaged=False (Contested)'),
    })
  })

  test('All other fields of the object are restored as before', () => {
    const scene = onAws()
    fight(scene, () => scaleTo(scene, 4))
    scaleTo(scene, 4)
    scene.edit('Deployment', { spec: { template: { spec: { priorityClassName: 'none' } } } }).settle()
    expect(scene.deployment.spec.template.spec.priorityClassName).toBe('system-cluster-critical')
    expect(scene.deployment.spec.replicas).toBe(4)
  })

  test('The operator retries once after five minutes, and backs off again if the field changes back', () => {
    const scene = onAws()
    fight(scene, () => scaleTo(scene, 4))
    const { requeueAt } = scaleTo(scene, 4).settle()
    const start = scene.server.now
    expect(requeueAt?.getTime()).toBeLessThanOrEqual(start.getTime() + 5 * 60_000)
    scene.later(299).settle()
    expect(scene.deployment.spec.replicas).toBe(4)
    scene.later(1).settle()
    expect(scene.deployment.spec.replicas).toBe(2)
    expect(contested(scene).isContested).toBe(true)
    scaleTo(scene, 4).settle()
    expect(scene.deployment.spec.replicas).toBe(4)
  })

  test('A manager that no longer writes is no longer named a minute later', () => {
    const scene = onAws()
    fight(scene, () => scaleTo(scene, 4))
    scene.later(300).settle()
    expect(scene.deployment.spec.replicas).toBe(2)
    scene.later(61).settle()
    expect(scene.condition('OperandsManaged').status).toBe('True')
  })

  test('A change of the spec is applied at once', () => {
    const scene = onAws()
    fight(scene, () => scaleTo(scene, 4))
    scaleTo(scene, 4).settle()
    scene.spec({ replicas: 3 }).settle()
    expect(scene.deployment.spec.replicas).toBe(3)
    expect(scene.condition('OperandsManaged').status).toBe('True')
  })

  test('A clock that is set back makes the operator retry instead of waiting for hours', () => {
    const scene = onAws()
    fight(scene, () => scaleTo(scene, 4))
    scaleTo(scene, 4)
      .later(-3 * 3600)
      .settle()
    expect(scene.deployment.spec.replicas).toBe(2)
  })
})

test('The pod template is left alone or restored as a whole', () => {
  const scene = onAws()
  const image = () => scene.deployment.spec.template.spec.containers[0].image
  const theirs = (name: string) => ({
    spec: {
      template: {
        spec: {
          priorityClassName: 'none',
          containers: [{ ...scene.deployment.spec.template.spec.containers[0], image: name }],
        },
      },
    },
  })
  const before = image()
  let number = 0
  fight(scene, () => scene.edit('Deployment', theirs(`rival:${++number}`), { manager: 'argocd' }))
  expect(image()).toBe(before)
  scene.edit('Deployment', theirs('rival:last'), { manager: 'argocd' }).settle()
  expect(scene.deployment.spec.template.spec).toMatchObject({ priorityClassName: 'none' })
  expect(image()).toBe('rival:last')
  expect(contested(scene).message).toContain('"argocd" keeps changing spec.template of Deployment')
})

test.each([
  ['Service', 'router-internal-edge', { spec: { selector: { a: 'b' }, ports: [{ port: 9 }] } }, 'spec.ports'],
  ['PodDisruptionBudget', 'router-edge', { spec: { maxUnavailable: 0 } }, 'spec.maxUnavailable'],
  ['IngressClass', 'portcullis-edge', { spec: { parameters: { name: 'other' } } }, 'spec.parameters.name'],
])(
  'Every field of a %s that another manager keeps changing is backed off from',
  (kind, name, change, field) => {
    const scene = onAws()
    const edit = () => scene.edit(kind, { ...change }, { manager: 'gitops', name })
    fight(scene, edit)
    expect(edit().decide().actions).toEqual([])
    scene.settle()
    expect(contested(scene).message).toContain(`"gitops" keeps changing ${field} of ${kind} `)
  },
)

describe('for a field that decides who reaches the routers', () => {
  const key = 'service.beta.kubernetes.io/azure-load-balancer-internal'
  const internal = () =>
    anIngressController().on('Azure').spec({ replicas: 2 }).scoped('Internal').published()
  const expose = (scene: Scene) =>
    scene.edit('Service', { metadata: { annotations: { [key]: null } } }, { manager: 'rival' })

  test('The operator retries every minute a field that decides who reaches the routers, and reports that the load balancer may be open to others', () => {
    const scene = internal()
    fight(scene, () => expose(scene))
    expose(scene).settle()
    expect(scene.annotations).not.toHaveProperty(key)
    expect(contested(scene)).toEqual({
      isContested: true,
      message: expect.stringMatching(
        /^Another client keeps removing metadata\.annotations\["service\.beta\.kubernetes\.io\/azure-load-balancer-internal"\] from Service openshift-ingress\/router-edge\. .*may accept traffic that the spec does not allow/,
      ),
    })
    scene.later(60).settle()
    expect(scene.annotations[key]).toBe('true')
  })

  test('A change of the scope is not reported as in progress during the backoff', () => {
    const scene = internal()
    fight(scene, () => expose(scene))
    expect(expose(scene).decide().actions).toEqual([])
  })
})

test('An operand that another client keeps deleting is recreated once a minute', () => {
  const scene = onAws()
  fight(scene, () => scene.remove('PodDisruptionBudget'), 4)
  scene.remove('PodDisruptionBudget').settle()
  expect(scene.server.get('PodDisruptionBudget', 'router-edge')).toBeUndefined()
  expect(contested(scene).message).toContain(
    'Another client keeps deleting PodDisruptionBudget openshift-ingress/router-edge.',
  )
  scene.later(60).settle()
  expect(scene.server.get('PodDisruptionBudget', 'router-edge')).toBeDefined()
})

test('While another client keeps removing the finalizer, nothing is created, and existing operands are restored', () => {
  const scene = onAws()
  const strip = () =>
    scene.edit('IngressController', { metadata: { finalizers: null } }, { manager: 'gitops' })
  fight(scene, strip, 4)
  strip().remove('PodDisruptionBudget')
  scene.edit('Deployment', { spec: { minReadySeconds: 0 } }).settle()
  expect(scene.controller.metadata.finalizers ?? []).toEqual([])
  expect(scene.server.get('PodDisruptionBudget', 'router-edge')).toBeUndefined()
  expect(scene.deployment.spec.minReadySeconds).toBe(30)
  scene.later(60).settle()
  expect(scene.controller.metadata.finalizers).toHaveLength(1)
  expect(scene.server.get('PodDisruptionBudget', 'router-edge')).toBeDefined()
})

test('Edits a quarter of an hour apart are reverted each time', () => {
  const scene = onAws()
  fight(scene, () => scaleTo(scene.later(15 * 60 + 1), 4), 20)
  expect(scene.deployment.spec.replicas).toBe(2)
  expect(scene.condition('OperandsManaged').status).toBe('True')
})

test('Annotations that the operator updates after edits of users are not a conflict', () => {
  const scene = onAws()
  const noted = () => scene.deployment.metadata.annotations?.['portcullis.dev/kept-source-ranges']
  for (let number = 1; number < 12; number++) {
    scene.edit('Service', { spec: { loadBalancerSourceRanges: [`192.0.2.${number}/32`] } }).settle()
    expect(noted()).toBe(`192.0.2.${number}/32`)
  }
})

test('The name of another field manager brings no command into a message', () => {
  const scene = onAws()
  fight(scene, () => scaleTo(scene, 4, '`rm -rf /`\n\u001b[31m'))
  for (const order of ['`', '\n', '\u001b']) expect(contested(scene).message).not.toContain(order)
})

describe('replicas that the spec does not set', () => {
  const unset = () => anIngressController().on('AWS').published()

  test('The replicas that the spec does not set are two for a new controller', () => {
    expect(unset().deployment.spec.replicas).toBe(2)
  })

  test('The replicas that the spec does not set are left to the client that scaled the routers, and other fields are restored', () => {
    const scene = unset()
    scaleTo(scene, 7)
    scene.edit('Deployment', { spec: { minReadySeconds: 0 } }).settle()
    expect(scene.deployment.spec).toMatchObject({ replicas: 7, minReadySeconds: 30 })
    expect(scene.condition('OperandsManaged').status).toBe('True')
    expect(scene.deployment.spec.strategy.rollingUpdate).toEqual({ maxSurge: '25%', maxUnavailable: '25%' })
  })

  test('The replicas follow the spec again as soon as it sets them', () => {
    const scene = unset()
    scaleTo(scene, 7).settle()
    scene.spec({ replicas: 3 }).settle()
    expect(scene.deployment.spec.replicas).toBe(3)
    scene.spec({ replicas: null }).settle()
    expect(scene.deployment.spec.replicas).toBe(2)
  })
})

describe('of the actions of a decision', () => {
  const snapshotOf = (...contestedFields: readonly ContestedField[]) => ({
    ...anIngressController().snapshot(),
    contestedFields,
  })
  const { now } = snapshotOf()
  const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds)
  const router = { namespace: 'openshift-ingress', name: 'router-edge' }
  const field = (path: readonly string[], more: Partial<ContestedField> = {}): ContestedField => ({
    kind: Deployment,
    ref: router,
    path,
    isRemoved: false,
    manager: 'hpa',
    writes: 5,
    lastWriteAt: ago(1000),
    ...more,
  })
  const existing = (ref = router) => ({ metadata: { ...ref, uid: ref.name, resourceVersion: '1' } })
  const scaled: IngressControllerEvent = {
    type: 'Normal',
    reason: 'ScopeChanging',
    action: 'Scale',
    note: '',
  }
  const scaling = (kind: Kind = Deployment, ref = router) =>
    update(kind, existing(ref), { spec: { replicas: 2 } }, { event: scaled })
  const making = (kind: Kind, name: string) => create(kind, { metadata: { ...router, name } })

  test.each([
    ['another field', field(['spec', 'paused'])],
    ['a field below one that is written', field(['spec', 'replicas', 'max'])],
    ['the object itself, which another client keeps deleting', field([])],
    ['a field of another object', field(['spec', 'replicas'], { ref: { ...router, name: 'other' } })],
    ['a field of an object of another kind', field(['spec', 'replicas'], { kind: Service })],
  ])('An update is kept whole if the conflict is over %s', (_, contest) => {
    expect(backOff(snapshotOf(contest), [scaling()]).actions).toEqual([scaling()])
  })

  test.each([
    ['the value', { spec: { replicas: 2 } }, ['spec', 'replicas']],
    ['the removal', { spec: { replicas: null } }, ['spec', 'replicas']],
    ['the whole', { data: 'x' }, ['data']],
  ])('A conflict over a field keeps this from being written: %s', (_, patch, path) => {
    const action = update(Deployment, existing(), patch)
    expect(backOff(snapshotOf(field(path)), [action])).toMatchObject({ actions: [], contested: [{ path }] })
  })

  test('An object that depends on several others is not created while one of them is contested', () => {
    const [held, other] = [Service, Deployment].map((kind) => ({ kind, ref: router }))
    const waiting = dependingOn(making(PodDisruptionBudget, 'a'), held as never, other as never)
    const free = dependingOn(making(PodDisruptionBudget, 'b'), held as never)
    const { actions } = backOff(snapshotOf(field(['spec', 'replicas'])), [scaling(), waiting, free])
    expect(actions).toEqual([free])
  })

  test.each([
    ['a field of a Deployment', Deployment, router, 300],
    ['a field of the load balancer’s Service', Service, router, 60],
    ['a field of another Service', Service, { ...router, name: 'router-internal-edge' }, 300],
    ['a field of an IngressController', IngressController, router, 60],
  ])('Backoff for %s after the last write lasts %j seconds', (_, kind, ref, seconds) => {
    const waits = (since: number) => {
      const contest = field(['spec', 'replicas'], { kind, ref, lastWriteAt: ago(since) })
      return backOff(snapshotOf(contest), [scaling(kind, ref)])
    }
    expect(waits(1000).requeueAt).toEqual(new Date(now.getTime() + (seconds - 1) * 1000))
    expect(waits(seconds * 1000 - 1).actions).toEqual([])
    expect(waits(seconds * 1000)).toEqual({
      actions: [scaling(kind, ref)],
      contested: [],
      requeueAt: undefined,
    })
  })

  test('A field that stays as written is contested for one more minute', () => {
    const after = (milliseconds: number) =>
      backOff(snapshotOf(field(['spec', 'replicas'], { lastWriteAt: ago(milliseconds) })), [])
    expect(after(59_999)).toMatchObject({ contested: [{}], requeueAt: new Date(now.getTime() + 1) })
    expect(after(60_000)).toMatchObject({ contested: [], requeueAt: undefined })
  })

  test('The conflict that ends first determines when to requeue', () => {
    const [early, late] = [ago(50_000), ago(10_000)]
    const contests = [late, early].map((lastWriteAt) => field(['spec', 'replicas'], { lastWriteAt }))
    const { requeueAt } = backOff(snapshotOf(...contests), [])
    expect(requeueAt).toEqual(new Date(now.getTime() + 10_000))
  })
})

test.each([
  [{ spec: { replicas: 2, selector: {} } }, ['spec.replicas', 'spec.selector']],
  [
    { metadata: { labels: { a: null } }, spec: { ports: [{ port: 80 }] } },
    ['metadata.labels.a', 'spec.ports'],
  ],
  [{ spec: { template: { spec: { priorityClassName: 'none' } } } }, ['spec.template']],
])('The patch %j writes the fields %j', (patch, fields) => {
  const object = { metadata: { name: 'a', uid: 'a', resourceVersion: '1' } }
  const written = fieldsWritten(update(Deployment, object, patch))
  expect(written.map((path) => path.join('.'))).toEqual(fields)
})

test('Creating an object writes it as a whole, and deleting one writes no fields', () => {
  const metadata = { name: 'a', uid: 'a', resourceVersion: '1' }
  const deletionTimestamp = '2030-01-01T00:00:00Z'
  const consent = Consent.byDeletion({ metadata: { ...metadata, deletionTimestamp } })
  if (consent === undefined) throw new Error('The deletion of a controller is consent.')
  expect(fieldsWritten(create(Deployment, { metadata }))).toEqual([[]])
  expect(fieldsWritten(deleteWithConsent(consent, Deployment, { metadata }))).toEqual([])
})

test.each([
  [['metadata', 'labels', 'a'], 'b'],
  [['metadata', 'labels', 'constructor'], undefined],
  [['metadata', 'labels', 'a', 'length'], undefined],
  [['spec', 'replicas'], undefined],
])('The value at %j is %j', (path, value) => {
  expect(valueAt(path, { metadata: { labels: { a: 'b' } } })).toBe(value)
})
