import type { Persisted } from '@portcullis/kube'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type ApiResponse, sandboxServer, type TestedServer } from '../conformance/api-server.ts'
import { ApiVerbs } from '../conformance/api-verbs.ts'
import { startBothServers } from '../conformance/both-api-servers.ts'
import {
  asText,
  type BothServers,
  Comparison,
  type Difference,
  formatDifference,
} from '../conformance/comparison.ts'
import { installCrds } from '../conformance/crds/installed.ts'
import { type Case, casesOf, systematicCases } from './hostile-objects.ts'
import { hostileKinds, operandNamespace, operatorNamespace, tenantNamespace } from './kinds.ts'
import { isKnownToDiffer } from './known-differences.ts'
import { Readers, type Step, stepsOfCluster } from './readers.ts'

// Provided in the project `control-plane` alone, whatever its type says.
const hasRealPlane = (inject('controlPlane') as unknown) !== undefined
const asked = process.env['PORTCULLIS_OBJECTS']
/** Always the same, unless a number is asked for, as `npm run fuzz` does: the suite says the same of the same code. */
const settings = {
  perKind: Number(asked ?? (hasRealPlane ? 25 : 6)),
  seed: Number(
    process.env['PORTCULLIS_SEED'] ?? (asked === undefined ? 20 : Math.floor(Math.random() * 2 ** 31)),
  ),
}
/** No step may keep the operator from renewing its lease, from answering probes, or others from their turn. */
const longestStepMs = 50
/** What may be made besides as much as was given: twenty conditions have room in it. */
const mostBytes = 700_000
/** Larger ones do not meet the objects of other kinds: what is found by them would be found again by each of those. */
const smallBytes = 100_000
const now = new Date('2026-06-01T00:00:00Z')

interface Beds {
  /** Whose answers count. */
  readonly reference: TestedServer
  readonly both: BothServers | undefined
  close(): Promise<void>
}

describe('Objects that anybody may write', () => {
  let servers: Beds
  const readers = new Readers()
  /** The last of each kind that was taken: hostile objects meet one another. */
  const caches = new Map<string, Persisted>()

  beforeAll(async () => {
    servers = await startBeds()
    console.log(
      `${settings.perKind} objects of each kind, ${servers.reference.name} server, seed ${settings.seed}`,
    )
    for (const { kind, path, base } of hostileKinds) {
      const { body } = await servers.reference.ask({ method: 'POST', path: `${path}?dryRun=All`, body: base })
      if (!path.includes(`/${tenantNamespace}/`) || kind === 'Ingress') caches.set(kind, body as Persisted)
    }
  }, 240_000)

  afterAll(() => servers.close())

  test('The Ingress that hostile ones are derived from gets an address', () => {
    const address = { status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } }
    const base = caches.get('Ingress') as Persisted
    // A dry run gives it no version.
    const ingress = { ...base, metadata: { ...base.metadata, resourceVersion: '1' } }
    for (let time = 0; time < 10; time++)
      expect(readers.writeAddress(ingress)).toMatchObject([
        [{ kind: 'Ingress' }, { name: 'any' }, { body: address }, { subresource: 'status' }],
      ])
  })

  test.each(
    hostileKinds.map(
      (kind) => [`${kind.kind} in ${kind.base.metadata.namespace ?? 'the cluster'}`, kind] as const,
    ),
  )(
    'No reader fails on hostile objects, or takes much memory or time: %s',
    async (_, kind) => {
      const random = fc.sample(casesOf(kind), { numRuns: settings.perKind, seed: settings.seed })
      // Megabytes take their time to write: where there is a real server they are worth it.
      const systematic = systematicCases(kind).filter(({ isHuge }) => hasRealPlane || !isHuge)
      const cases = [...systematic, ...random]
      const problems: string[] = []
      const differences: Difference[] = []
      let taken = 0
      for (const [at, each] of cases.entries()) {
        const { object, difference } = await written(each, at, servers)
        if (!isKnownToDiffer(each)) differences.push(...difference)
        if (object === undefined) continue
        taken += 1
        const met = new Map(caches).set(kind.kind, object)
        if (JSON.stringify(object).length < smallBytes) caches.set(kind.kind, object)
        const objects = Object.fromEntries([...met].map(([name, one]) => [name, [one]]))
        const given = new Given(objects)
        for (const step of [...readers.stepsOf(kind.kind, object), ...stepsOfCluster(objects, now)]) {
          const problem = problemOf(step, given)
          if (problem !== undefined) problems.push(`${problem}\n  ${shown(each, at)}`)
        }
      }
      expect(problems.slice(0, 10).join('\n').slice(0, 10_000), `${problems.length} problems`).toBe('')
      expect(
        differences
          .slice(0, 10)
          .map((difference) => formatDifference(difference).replaceAll(/(.{300}).*/g, '$1…'))
          .join('\n')
          .slice(0, 10_000),
        `${differences.length} differences between the servers`,
      ).toBe('')
      expect(taken / cases.length, 'too few are taken to say anything').toBeGreaterThan(0.1)
    },
    240_000,
  )
})

/** The real server and the sandbox side by side where there is a real one; else the sandbox alone. */
async function startBeds(): Promise<Beds> {
  if (!hasRealPlane) {
    const sandbox = await sandboxServer()
    await prepared(sandbox)
    return { reference: sandbox, both: undefined, close: () => sandbox.close() }
  }
  const two = await startBothServers()
  await Promise.all([prepared(two.real), prepared(two.sandbox)])
  return { reference: two.real, both: two, close: () => two.close() }
}

async function prepared(server: TestedServer): Promise<void> {
  await installCrds(new ApiVerbs(server))
  for (const name of [operatorNamespace, operandNamespace, tenantNamespace]) {
    await server.ask({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name } } })
    const account = { metadata: { name: 'default' } }
    await server.ask({ method: 'POST', path: `/api/v1/namespaces/${name}/serviceaccounts`, body: account })
  }
}

/** Writes an object and its status, takes it away again, and gives back what the server made of it. */
async function written(
  { kind, object, status, isHuge }: Case,
  at: number,
  servers: Beds,
): Promise<{ object: Persisted | undefined; difference: Difference[] }> {
  // A Namespace goes only when a controller has emptied it.
  const named =
    kind.kind === 'Namespace'
      ? { ...object, metadata: { ...object.metadata, name: `hostile-${at}` } }
      : object
  const difference: Difference[] = []
  // Of its own for each: one that only one of the servers takes makes another version there.
  const comparison = servers.both && new Comparison(servers.both)
  const ask = async (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<ApiResponse> => {
    const request = { method, path, ...(body !== undefined && { body }), ...(headers && { headers }) }
    if (comparison === undefined || servers.both === undefined) return servers.reference.ask(request)
    const [real, sandbox] = await Promise.all([
      servers.both.real.ask(request),
      servers.both.sandbox.ask(request),
    ])
    // The sandbox has fewer rules: what the real one refuses, it need not. A deletion is answered with the last state.
    if (isTaken(real) && method !== 'DELETE') {
      const compared = isHuge ? [withoutOwners(real), withoutOwners(sandbox)] : [real, sandbox]
      const [ours, theirs] = compared as [ApiResponse, ApiResponse]
      const found = comparison.compare(asText(request), ours, theirs)
      if (found !== undefined) difference.push(found)
    }
    return real
  }
  const path = `${kind.path}/${named.metadata.name}`
  const patch = { 'content-type': 'application/merge-patch+json' }
  const made = await ask('POST', kind.path, named)
  const reported =
    status === undefined || !isTaken(made) ? made : await ask('PATCH', `${path}/status`, { status }, patch)
  // Even if it was refused: the sandbox may have taken it.
  await ask('DELETE', `${path}?gracePeriodSeconds=0`)
  const read = isTaken(reported) ? reported : made
  return { object: isTaken(read) ? (read.body as Persisted) : undefined, difference }
}

const isTaken = ({ code }: ApiResponse) => code < 300

/** Where etcd has no room for an object, the real server leaves out who owns its fields; the sandbox has no etcd. */
function withoutOwners(answer: ApiResponse): ApiResponse {
  const body = structuredClone(answer.body) as { metadata?: { managedFields?: unknown } }
  delete body.metadata?.managedFields
  return { ...answer, body }
}

/** What a step is given. */
class Given {
  readonly bytes: number
  readonly #longTexts = new Set<unknown>()

  constructor(objects: unknown) {
    this.bytes = JSON.stringify(objects, (_, value: unknown) => {
      if (typeof value === 'string' && value.length > 1_000) this.#longTexts.add(value)
      return value
    }).length
  }

  /** How much of this is new: a text that is passed on as it came takes no memory of its own. */
  bytesBeside(result: unknown): number {
    const isNew = (_: string, value: unknown) => (this.#longTexts.has(value) ? '' : value)
    return JSON.stringify(result ?? null, isNew).length
  }
}

/** What is wrong with a step: it throws, takes too long whenever it is tried, or makes too much. */
function problemOf({ name, run, longestMs = longestStepMs }: Step, given: Given): string | undefined {
  try {
    let { result, took } = timed(run)
    for (let again = 0; took > longestMs && again < 4; again++) took = Math.min(took, timed(run).took)
    if (took > longestMs) return `${name} takes ${Math.round(took)} ms`
    const bytes = given.bytesBeside(result)
    return bytes > mostBytes + given.bytes ? `${name} makes ${bytes} bytes of ${given.bytes}` : undefined
  } catch (error) {
    return `${name} throws ${(error as Error).stack?.slice(0, 600)}`
  }
}

/**
 * The time on the clock, or the time of the processor if that is less: where others have the processor, the clock goes
 * on, and where the collector of garbage works beside, it counts twice. The work of the step is in both.
 */
function timed(run: () => unknown): { result: unknown; took: number } {
  const cpuBefore = process.cpuUsage()
  const start = performance.now()
  const result = run()
  const onTheClock = performance.now() - start
  const cpu = process.cpuUsage(cpuBefore)
  return { result, took: Math.min(onTheClock, (cpu.user + cpu.system) / 1_000) }
}

function shown({ kind, edits }: Case, at: number): string {
  const texts = edits.map(({ path, value }) => `${path.join('.')} = ${JSON.stringify(value)?.slice(0, 100)}`)
  return `${kind.kind} ${at} of PORTCULLIS_SEED=${settings.seed} PORTCULLIS_OBJECTS=${settings.perKind}: ${texts.join('; ')}`
}
