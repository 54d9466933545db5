import { afterAll, beforeAll, describe, test } from 'vitest'
import { clusters, type KubectlCluster } from './clusters.ts'
import { readTranscripts } from './transcripts.ts'

/*
 * Real kubectl, used as a person would. Every claim is a file in `transcripts`: what is typed, after `$ `, and what
 * then appears, on the sandbox and on a real control plane alike.
 */
const onBoth = await readTranscripts('both-clusters')
const onSandbox = await readTranscripts('sandbox-alone')

for (const { name, title, start } of clusters) {
  describe.concurrent(`kubectl on ${title}`, () => {
    let cluster: KubectlCluster | undefined
    beforeAll(async () => {
      cluster = await start()
      const terminal = await cluster.open('kubectl-gates')
      await terminal.type('kubectl apply -f gate-definition.yaml')
      await terminal.type('until kubectl explain gate >/dev/null && kubectl get gates; do sleep 0.1; done')
    })
    afterAll(() => cluster?.close())

    for (const { claim, namespace, text } of name === 'sandbox' ? [...onBoth, ...onSandbox] : onBoth) {
      test(claim, async () => {
        const terminal = await cluster?.open(namespace)
        await terminal?.shows(text)
      })
    }
  })
}
