import { randomBytes } from 'node:crypto'
import { Lease, Namespace } from '@portcullis/kube/internal/objects/kinds.ts'
import { expect, test } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { OperatorProcess } from '../clusters/operator-process.ts'
import { sharedControlPlane } from '../clusters/shared-control-plane.ts'
import { adminAccess, connect, freshNamespace } from '../clusters/test-client.ts'
import { install } from '../e2e/install.ts'
import { createIngresses, recordVersions } from './recorded-versions.ts'

const count = 500

/** A cluster with many Ingresses of one class, and operators that write a given address to them. */
async function aPlace() {
  const plane = sharedControlPlane()
  const client = connect(await adminAccess(plane))
  await install(client)
  const ingresses = await freshNamespace(client)
  const operators = `operators-${randomBytes(4).toString('hex')}`
  await client.create(Namespace, { metadata: { name: operators } })
  // As a holder leaves it that gave it back: the first operator need not wait.
  const spec = { holderIdentity: '', renewTime: '2020-01-01T00:00:00.000000Z' }
  await client.create(Lease, { metadata: { namespace: operators, name: 'portcullis' }, spec })
  const start = (address: string) =>
    new OperatorProcess(
      'packages/cli/src/main.ts',
      {},
      `operator --kubeconfig ${plane.kubeconfigPath} --health-port 0 --operator-namespace ${operators} --ingress-class-name ${ingresses} --ingress-status-address ${address}`.split(
        ' ',
      ),
    )
  return { client, ingresses, start }
}

const leads = (operator: OperatorProcess) =>
  eventually(() => expect(operator.log.map(({ msg }) => msg)).toContain('Leading'), 40_000)

test('Each Ingress is written once for each address, and is never blank in between, whichever operator leads', async () => {
  const { client, ingresses, start } = await aPlace()
  const versions = await recordVersions(client, ingresses)
  const allHave = (history: readonly string[]) =>
    eventually(() => {
      expect(versions.size).toBe(count)
      for (const addresses of versions.values()) expect(addresses).toEqual(history)
    }, 40_000)
  const first = start('10.0.0.1')
  await leads(first)
  await createIngresses(client, { namespace: ingresses, className: ingresses, count })
  await allHave(['', '10.0.0.1'])

  // A successor that finds everything right writes nothing, even when its predecessor is killed.
  const second = start('10.0.0.1')
  await eventually(() => expect(second.log.map(({ msg }) => msg)).toContain('All caches have synced'))
  first.send('SIGKILL')
  await leads(second)
  await allHave(['', '10.0.0.1'])

  // One with another address writes it, while the one before stops gracefully.
  const third = start('10.0.0.2')
  await eventually(() => expect(third.log.map(({ msg }) => msg)).toContain('All caches have synced'))
  second.send('SIGTERM')
  await leads(third)
  await allHave(['', '10.0.0.1', '10.0.0.2'])

  // One that is stopped in the middle and wakes up too late writes nothing over its successor's.
  const fourth = start('10.0.0.3')
  await eventually(() => expect(fourth.log.map(({ msg }) => msg)).toContain('All caches have synced'))
  third.send('SIGSTOP')
  await leads(fourth)
  third.send('SIGCONT')
  await allHave(['', '10.0.0.1', '10.0.0.2', '10.0.0.3'])
  await eventually(() => expect(third.log.map(({ msg }) => msg)).toContain('No longer leading'))
  await allHave(['', '10.0.0.1', '10.0.0.2', '10.0.0.3'])
})
