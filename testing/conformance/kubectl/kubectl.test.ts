import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Bed, beds } from './clusters.ts'
import { readTranscripts } from './transcripts.ts'

/*
 * Real kubectl, used as a person would. Every claim is a file in `transcripts`: what is typed, after `$ `, and what
 * then appears, on the sandbox and on a real control plane alike.
 */
const onBoth = await readTranscripts('both-clusters')
const onSandbox = await readTranscripts('sandbox-alone')

for (const { name, title, start } of beds) {
  describe.concurrent(`kubectl on ${title}`, () => {
    let bed: Bed | undefined
    beforeAll(async () => {
      bed = await start()
      const terminal = await bed.open('kubectl-gates')
      await terminal.type('kubectl apply -f gate-definition.yaml')
      await terminal.type('until kubectl explain gate >/dev/null && kubectl get gates; do sleep 0.1; done')
    })
    afterAll(() => bed?.close())

    for (const { claim, namespace, text } of name === 'sandbox' ? [...onBoth, ...onSandbox] : onBoth) {
      test(claim, async () => {
        const terminal = await bed?.open(namespace)
        await terminal?.shows(text)
      })
    }
  })
}
