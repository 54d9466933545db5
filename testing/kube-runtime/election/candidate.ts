// A candidate in a process of its own: stands for election and, while it leads, writes the name of its term into
// one ConfigMap as fast as the API server takes it. Says on standard output what happens to it, a line each.
import { homedir } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import {
  Client,
  ConfigMap,
  createMetrics,
  loadClusterAccess,
  silentLogger,
  stopOnSignals,
  systemClock,
  WriteRefusedError,
} from '@portcullis/kube'
import type { WriteGuard } from '@portcullis/kube/internal/client/api.ts'
import { LeaderElection } from '@portcullis/kube/internal/election/lease.ts'
import type { CandidateTask } from './candidates.ts'

const { kubeconfig, namespace, name, identity, timing } = JSON.parse(process.argv[2] ?? '') as CandidateTask
const environment = { env: {}, homeDirectory: homedir(), isTerminal: false }
const access = await loadClusterAccess({ kubeconfig, environment, clock: systemClock, log: silentLogger })
const metrics = createMetrics('portcullis')
const connect = () =>
  Client.connect({
    access,
    clock: systemClock,
    random: Math.random,
    metrics,
    userAgent: `candidate-${identity}/1`,
  })
const [client, electionClient] = [connect(), connect()]
const { stop, release } = stopOnSignals(process, silentLogger)
const election = new LeaderElection({
  client: electionClient,
  lease: { namespace, name },
  identity,
  ...timing,
  clock: systemClock,
  random: Math.random,
  log: silentLogger,
  metrics,
})

let terms = 0
let writes = 0

/**
 * Looks at nothing but what becomes of its writes: that they are refused in time is what the tests are about. Each
 * names the version that it replaces, as writes of a leader should: a process that is stopped between the last check
 * and the system call sends that one write when it wakes up, and only the API server can still refuse it.
 */
async function writeUntilRefused(term: WriteGuard, writer: string): Promise<void> {
  const guarded = client.guardedBy(term)
  let resourceVersion: string | undefined
  while (!stop.aborted) {
    try {
      resourceVersion ??= (await client.get(ConfigMap, { namespace, name }, { signal: term.signal })).metadata
        .resourceVersion
    } catch {
      if (term.signal.aborted) return // Cut off: there is nothing that could be refused.
      await pause(1)
      continue
    }
    try {
      const body = { metadata: { resourceVersion }, data: { writer, count: String(writes++) } }
      const written = await guarded.patch(ConfigMap, { namespace, name }, { type: 'merge', body })
      resourceVersion = written.metadata.resourceVersion
    } catch (error) {
      if (error instanceof WriteRefusedError) return
      resourceVersion = undefined
    }
  }
}

process.stdout.write('campaigning\n')
await election.run(stop, async (term) => {
  const writer = `${identity}#${++terms}`
  process.stdout.write(`leading ${writer}\n`)
  await writeUntilRefused(term, writer)
  process.stdout.write(`ended ${writer}\n`)
})
release()
await Promise.all([client.close(), electionClient.close()])
