import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '@portcullis/kube'
import { ConfigMap, Lease } from '@portcullis/kube/internal/objects/kinds.ts'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { type FaultProxy, startFaultProxy } from '../clusters/fault-proxy.ts'
import { kubeconfig } from '../clusters/kubeconfig-file.ts'
import { sharedControlPlane } from '../clusters/shared-control-plane.ts'
import { adminAccess, connect, freshNamespace } from '../clusters/test-client.ts'
import { Candidate } from './election/candidates.ts'

/** A fifth of the usual times, so that the tests are quick; the proportions are the same. */
const timing = { leaseDurationMs: 3000, renewDeadlineMs: 2000, retryPeriodMs: 400 }
const name = 'throne'

/** Candidates, each behind a proxy of its own, and the history of all that they write. */
async function anElection() {
  const plane = sharedControlPlane()
  const client = connect(await adminAccess(plane))
  const namespace = await freshNamespace(client)
  const { metadata } = await client.create(ConfigMap, { metadata: { namespace, name } })
  // As a holder leaves it that gave it back: the first candidate need not wait.
  const spec = { holderIdentity: '', renewTime: '2020-01-01T00:00:00.000000Z' }
  await client.create(Lease, { metadata: { namespace, name }, spec })
  const writers = await recordWriters(client, namespace, metadata.resourceVersion)

  const stand = async (identity: string): Promise<{ candidate: Candidate; proxy: FaultProxy }> => {
    const proxy = await startFaultProxy({ target: plane })
    const directory = await mkdtemp(join(tmpdir(), 'portcullis-election-'))
    onTestFinished(async () => {
      await proxy.close()
      await rm(directory, { recursive: true })
    })
    const file = join(directory, 'kubeconfig')
    await writeFile(
      file,
      kubeconfig({ server: proxy.url, ca: proxy.ca, user: 'admin', token: plane.adminToken }),
    )
    const candidate = new Candidate({ kubeconfig: file, namespace, name, identity, timing })
    await eventually(() => expect(candidate.lines).toContain('campaigning'))
    return { candidate, proxy }
  }
  return { client, namespace, writers, stand }
}

/** Every writer that the API server has recorded, in its order. */
async function recordWriters(client: Client, namespace: string, resourceVersion: string): Promise<string[]> {
  const stop = new AbortController()
  const stream = await client.watchOnce(ConfigMap, {
    namespace,
    fieldSelector: `metadata.name=${name}`,
    resourceVersion,
    timeoutSeconds: 600,
    signal: stop.signal,
  })
  const writers: string[] = []
  const recording = (async () => {
    for await (const events of stream) {
      for (const event of events) {
        if (event.type === 'MODIFIED') writers.push(event.object.data?.['writer'] ?? 'nobody')
      }
    }
  })().catch(() => {})
  onTestFinished(async () => {
    stop.abort(new Error('the test is over'))
    await recording
  })
  return writers
}

/** The terms in the order of their writes. A term that appears twice wrote after another had begun. */
function termsIn(writers: readonly string[]): string[] {
  return writers.filter((writer, at) => writer !== writers[at - 1])
}

function expectNoOldLeaderWrote(writers: readonly string[]): void {
  const terms = termsIn(writers)
  expect(terms, 'each term is one unbroken run of writes').toEqual([...new Set(terms)])
}

const hasWritten = (writers: readonly string[], writer: string, atLeast = 20) =>
  eventually(() => expect(writers.filter((each) => each === writer).length).toBeGreaterThan(atLeast))

test('A graceful stop releases the lease, and the next candidate leads at once', async () => {
  const { writers, stand, client, namespace } = await anElection()
  const { candidate: ann } = await stand('ann')
  await hasWritten(writers, 'ann#1')
  const { candidate: bob } = await stand('bob')
  ann.send('SIGTERM')
  const stopped = performance.now()
  expect(await ann.ended()).toBe(0)
  await hasWritten(writers, 'bob#1', 0)
  expect(performance.now() - stopped).toBeLessThan(timing.leaseDurationMs)
  bob.send('SIGTERM')
  expect(await bob.ended()).toBe(0)
  expectNoOldLeaderWrote(writers)
  expect(termsIn(writers)).toEqual(['ann#1', 'bob#1'])
  const lease = await client.get(Lease, { namespace, name })
  expect(lease.spec).toMatchObject({ holderIdentity: '', leaseTransitions: 2 })
})

test('The next candidate leads after a SIGKILL when the lease has expired, and not before', async () => {
  const { writers, stand } = await anElection()
  const { candidate: ann } = await stand('ann')
  await hasWritten(writers, 'ann#1')
  await stand('bob')
  ann.send('SIGKILL')
  const killed = performance.now()
  await hasWritten(writers, 'bob#1', 0)
  const waited = performance.now() - killed
  expect(waited).toBeGreaterThan(timing.leaseDurationMs - 2 * timing.retryPeriodMs)
  expect(waited).toBeLessThan(2 * timing.leaseDurationMs)
  expectNoOldLeaderWrote(writers)
})

test('A leader that was paused for longer than the lease writes nothing when it resumes', async () => {
  const { writers, stand } = await anElection()
  const { candidate: ann } = await stand('ann')
  await hasWritten(writers, 'ann#1')
  const { candidate: bob } = await stand('bob')
  for (const [leader, other] of [
    [ann, bob],
    [bob, ann],
    [ann, bob],
  ] as const) {
    await eventually(() => expect(leader.isLeading).toBe(true))
    leader.send('SIGSTOP')
    await eventually(() => expect(other.isLeading).toBe(true), 30_000)
    const written = writers.length
    await eventually(() => expect(writers.length).toBeGreaterThan(written + 50))
    leader.send('SIGCONT')
    await eventually(() => expect(leader.isLeading).toBe(false))
    await eventually(() => expect(writers.length).toBeGreaterThan(written + 200))
  }
  expectNoOldLeaderWrote(writers)
  expect(termsIn(writers)).toEqual(['ann#1', 'bob#1', 'ann#2', 'bob#2'])
})

test('A leader that is cut off from the API stops before another starts, and is a candidate again afterwards', async () => {
  const { writers, stand } = await anElection()
  const { candidate: ann, proxy } = await stand('ann')
  await hasWritten(writers, 'ann#1')
  await stand('bob')
  await proxy.outage()
  await eventually(() => expect(ann.lines).toContain('ended ann#1'))
  expect(writers, 'nobody else has begun yet').not.toContain('bob#1')
  await hasWritten(writers, 'bob#1')
  await proxy.restore()
  await pause(2 * timing.retryPeriodMs)
  expectNoOldLeaderWrote(writers)
})

test('A leader whose connections hang stops before its lease expires', async () => {
  const { writers, stand } = await anElection()
  const { candidate: ann, proxy } = await stand('ann')
  await hasWritten(writers, 'ann#1')
  await stand('bob')
  const goOn = proxy.stallAll()
  const stalled = proxy.inject({
    when: () => true,
    fault: { type: 'stall', at: 'answer' },
    times: Number.POSITIVE_INFINITY,
  })
  await eventually(() => expect(ann.lines).toContain('ended ann#1'))
  await hasWritten(writers, 'bob#1')
  goOn()
  stalled.lift()
  await hasWritten(writers, 'bob#1', 200)
  expectNoOldLeaderWrote(writers)
})

test('Five candidates that are killed one after the other never have two leaders', async () => {
  const { writers, stand } = await anElection()
  const candidates = await Promise.all(
    ['ann', 'bob', 'cat', 'dan', 'eve'].map(async (each) => (await stand(each)).candidate),
  )
  for (let kills = 0; kills < 3; kills++) {
    const leader = await eventually(() => {
      const leading = candidates.filter(({ isLeading }) => isLeading)
      expect(leading).toHaveLength(1)
      return leading[0]
    }, 30_000)
    if (leader === undefined) throw new Error('unreachable')
    await hasWritten(writers, leader.lines.at(-1)?.split(' ')[1] ?? '')
    candidates.splice(candidates.indexOf(leader), 1)
    leader.send('SIGKILL')
  }
  expectNoOldLeaderWrote(writers)
})
