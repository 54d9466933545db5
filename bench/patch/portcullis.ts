// Ours: discovery, credentials, pacing, errors, metrics, and a guard as a leader has it.
import { Ingress } from '@portcullis/kube'
import { connect, inParallel, nameOf, namespace, statusOf } from '../ingresses.ts'
import { measure, taskFromArguments } from '../measured-process.ts'

const { kubeconfig, count, concurrency, round } = taskFromArguments()
const client = await connect(kubeconfig, concurrency)
const leading = { check: () => 10_000, signal: new AbortController().signal }
const guarded = client.guardedBy(leading)

async function patch(at: number, body: object): Promise<void> {
  await guarded.patch(
    Ingress,
    { namespace, name: nameOf(at) },
    { type: 'merge', body },
    { subresource: 'status' },
  )
}

await inParallel(concurrency, concurrency, (at) => patch(at, statusOf(at, round + 100)))
await measure(() => inParallel(count, concurrency, (at) => patch(at, statusOf(at, round))))
await client.close()
