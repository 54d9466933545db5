import { ApiError, IngressClass, type KubeObject, type Persisted, Service } from '@portcullis/kube'
import { settle, VirtualClock } from '@portcullis/kube/testing'
import { describe, expect, test } from 'vitest'
import { anIngressController } from '../testing/a-snapshot.ts'
import type { Scene } from '../testing/scene.ts'
import { type ApplyContext, applyAction, OutdatedError, patchStatus } from './apply-actions.ts'
import type { Action } from './decision.ts'
import { IngressController } from './kinds.ts'
import { autoDeleteAnnotation, ownerLabel } from './names.ts'

/** An API server that takes every write, and a cache that shows it when the test says so. */
function aContext(answer: () => Partial<KubeObject> = () => ({}), controller?: { metadata: object }) {
  const requests: unknown[][] = []
  const recorded: string[] = []
  const listeners = new Set<(change: never) => void>()
  const written = (object: object) =>
    ({
      ...object,
      metadata: { namespace: 'n', name: 'x', uid: 'u', resourceVersion: '9' },
      ...answer(),
    }) as Persisted<never>
  const record = async (...request: unknown[]) => {
    requests.push(request)
    return written({})
  }
  let held: Persisted | undefined
  const context: ApplyContext = {
    client: {
      get: async () => controller as never,
      create: (...args) => record('create', ...args),
      patch: (...args) => record('patch', ...args),
      delete: async (...args) => void (await record('delete', ...args)),
    },
    events: { record: (_, { reason }) => void recorded.push(reason) },
    signal: new AbortController().signal,
    clock: new VirtualClock(),
    cacheOf: () => ({
      get: () => held,
      subscribe: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    }),
  }
  const show = (object: Persisted | undefined) => {
    held = object
    const type = object === undefined ? 'deleted' : 'updated'
    for (const listener of listeners) listener({ type, object: object ?? written({}) } as never)
  }
  return { context, requests, recorded, show, written }
}

const controllerOf = (edge: Scene) => edge.snapshot().controller
const firstAction = (edge: Scene, kind = Service.kind): Action => {
  const found = edge.decide().actions.find((action) => action.kind.kind === kind)
  if (found === undefined) throw new Error(`Nothing is to be done about a ${kind}.`)
  return found
}

const flip = () => anIngressController().on('Azure').scoped('External').published().scoped('Internal')

describe('an update', () => {
  test('An update is a merge patch of our fields, under our name, of the very version that was decided on', async () => {
    const edge = flip()
    const { context, requests, show, written } = aContext()
    const done = applyAction(firstAction(edge), controllerOf(edge), context)
    await settle()
    show(written({}))
    await done
    const { uid, resourceVersion } = edge.service.metadata
    expect(requests).toMatchObject([
      [
        'patch',
        Service,
        { namespace: 'openshift-ingress', name: 'router-edge' },
        {
          type: 'merge',
          body: {
            metadata: {
              uid,
              resourceVersion,
              annotations: { 'service.beta.kubernetes.io/azure-load-balancer-internal': 'true' },
            },
          },
        },
        { fieldManager: 'portcullis' },
      ],
    ])
  })

  test('An update is complete once the cache shows it, and only then recorded as an event', async () => {
    const edge = flip()
    const { context, recorded, show, written } = aContext()
    const done = applyAction(firstAction(edge), controllerOf(edge), context)
    await settle()
    expect(recorded).toEqual([])
    show(written({}))
    await done
    expect(recorded).toEqual(['ScopeChanging'])
  })
})

describe('a controller', () => {
  const leaving = () => {
    const edge = anIngressController().on('AWS').published().remove('IngressController')
    edge.pods = [{ metadata: { name: 'router-edge-1', uid: 'p', resourceVersion: '1' } }]
    edge.settle()
    edge.cloudRemoves().settle()
    edge.pods = []
    return { controller: controllerOf(edge), letGo: firstAction(edge, IngressController.kind) }
  }
  const service = (owner: string) => ({ metadata: { labels: { [ownerLabel]: owner } } })

  test('A controller keeps its finalizer while the API server has an operand that the caches do not show yet', async () => {
    const { controller, letGo } = leaving()
    const { context, requests } = aContext(undefined, service('edge'))
    await expect(applyAction(letGo, controller, context)).rejects.toThrow('router-edge is still there')
    expect(requests).toEqual([])
  })

  test.each([
    ['its own, which keeps it', 'openshift-ingress-operator', 1],
    ['of a controller of that name elsewhere, which does not', 'elsewhere', 0],
  ])('A controller whose IngressClass the caches do not show yet: %s', async (_, namespace, kept) => {
    const { controller, letGo } = leaving()
    const ingressClass = {
      metadata: { labels: { [ownerLabel]: 'edge' } },
      spec: { parameters: { namespace } },
    }
    const { context, requests, show, written } = aContext()
    const get = async (kind: unknown) => (kind === IngressClass ? ingressClass : service('another')) as never
    show(written({}))
    const result = applyAction(letGo, controller, { ...context, client: { ...context.client, get } })
    if (kept) await expect(result).rejects.toThrow('portcullis-edge is still there')
    else await result
    expect(requests).toHaveLength(1 - kept)
  })

  test('A controller loses its finalizer if the objects with those names are unowned', async () => {
    const { controller, letGo } = leaving()
    const { context, requests, show, written } = aContext(undefined, service('another'))
    show(written({}))
    await applyAction(letGo, controller, context)
    expect(requests.map(([verb, kind]) => [verb, kind])).toEqual([['patch', IngressController]])
  })
})

describe('a deletion', () => {
  const replacement = () =>
    anIngressController()
      .on('AWS')
      .scoped('External')
      .annotated({ [autoDeleteAnnotation]: '' })
      .published()
      .scoped('Internal')

  test('A deletion is of the very object that was decided on, and of no other with its name', async () => {
    const edge = replacement()
    const { context, requests, recorded } = aContext(undefined, controllerOf(edge))
    await applyAction(firstAction(edge), controllerOf(edge), context)
    expect(requests).toMatchObject([
      ['delete', Service, { name: 'router-edge' }, { preconditions: { uid: edge.service.metadata.uid } }],
    ])
    expect(recorded).toEqual(['ServiceDeleted'])
  })

  test('A deletion does not happen if the controller has changed meanwhile: the change may have been taken back', async () => {
    const edge = replacement()
    const changed = { metadata: { ...controllerOf(edge).metadata, resourceVersion: 'newer' } }
    const { context, requests } = aContext(undefined, changed)
    await expect(applyAction(firstAction(edge), controllerOf(edge), context)).rejects.toThrow(
      'nothing was deleted',
    )
    expect(requests).toEqual([])
  })

  test('A deletion of an object that is already gone succeeds', async () => {
    const edge = replacement()
    const { context } = aContext(() => {
      throw new ApiError('delete Service', 404, { reason: 'NotFound' })
    }, controllerOf(edge))
    await expect(applyAction(firstAction(edge), controllerOf(edge), context)).resolves.toBeUndefined()
  })

  test('A deletion that the API server rejects with 429 is decided again instead of being retried', async () => {
    const edge = replacement()
    const { context, requests } = aContext(() => {
      throw new ApiError('delete Service', 429, { reason: 'TooManyRequests' }, 1000)
    }, controllerOf(edge))
    await expect(applyAction(firstAction(edge), controllerOf(edge), context)).rejects.toThrow(OutdatedError)
    expect(requests).toMatchObject([['delete', Service, {}, { noRetry: true }]])
  })

  test('A deletion of an object that was recreated is a conflict, and records no event', async () => {
    const edge = replacement()
    const { context, recorded } = aContext(() => {
      throw new ApiError('delete Service', 409, { reason: 'Conflict' })
    }, controllerOf(edge))
    await expect(applyAction(firstAction(edge), controllerOf(edge), context)).rejects.toMatchObject({
      code: 409,
    })
    expect(recorded).toEqual([])
  })
})

test('An update of an object that was deleted meanwhile is not a failure, and is requeued', async () => {
  const edge = flip()
  const { context } = aContext(() => {
    throw new ApiError('patch it', 404, { reason: 'NotFound' })
  })
  await expect(applyAction(firstAction(edge), controllerOf(edge), context)).rejects.toThrow(OutdatedError)
  const status = { ...edge.decide().status, domain: 'other.example.com' }
  await expect(patchStatus(controllerOf(edge), status, context)).rejects.toThrow(OutdatedError)
})

describe('the status', () => {
  test('The status is written where it differs, and only what differs', async () => {
    const edge = flip()
    const { context, requests, show, written } = aContext()
    show(written({}))
    const { status } = edge.decide()
    await patchStatus(controllerOf(edge), { ...status, domain: 'other.example.com' }, context)
    expect(requests).toHaveLength(1)
    const [verb, , , patch, options] = requests[0] ?? []
    expect({ verb, options }).toMatchObject({ verb: 'patch', options: { subresource: 'status' } })
    expect((patch as { body: { status: object } }).body.status).toMatchObject({ domain: 'other.example.com' })
    expect((patch as { body: { status: object } }).body.status).not.toHaveProperty('selector')
  })

  test('The status names the resourceVersion that was decided on, so that no later write is overwritten', async () => {
    const edge = flip()
    const { context, requests, show, written } = aContext()
    show(written({}))
    await patchStatus(controllerOf(edge), { ...edge.decide().status, domain: 'other.example.com' }, context)
    const { namespace, name, uid, resourceVersion } = edge.controller.metadata
    expect(requests).toMatchObject([
      [
        'patch',
        IngressController,
        { namespace, name },
        { type: 'merge', body: { metadata: { uid, resourceVersion } } },
        { fieldManager: 'portcullis' },
      ],
    ])
  })

  test('The status is not written if it does not differ', async () => {
    const edge = anIngressController().on('AWS').published()
    const { context, requests } = aContext()
    await patchStatus(controllerOf(edge), edge.decide().status ?? {}, context)
    expect(requests).toEqual([])
  })
})
