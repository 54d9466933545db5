import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { defaultLimits } from '@portcullis/kube/internal/health/connection-budget.ts'
import { Lease } from '@portcullis/kube/internal/objects/kinds.ts'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import { freePort } from '../clusters/free-port.ts'
import { kubeconfig } from '../clusters/kubeconfig-file.ts'
import { OperatorProcess } from '../clusters/operator-process.ts'
import { Cluster } from '../e2e/cluster.ts'
import { accessOfTheOperator } from '../e2e/operator-account.ts'
import { sharedTestCluster } from '../e2e/test-cluster.ts'

const testCluster = sharedTestCluster()
const floodSeconds = 20
/** Together they ask for more than all may have. */
const floodAddresses = Array.from({ length: 20 }, (_, number) => `127.0.0.${66 + number}`)

/** As a kubelet asks: within a second. From another address than the flood's, as a node has another than its pods. */
function probe(port: number, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { port, path, host: '127.0.0.1', localAddress: '127.0.0.2', timeout: 1_000, agent: false }
    const asked = request(options, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
    asked.on('timeout', () => asked.destroy())
    asked.on('error', () => resolve(false))
    asked.end()
  })
}

// Only Linux has more than one loopback address without being asked.
test.runIf(process.platform === 'linux')(
  'A leader keeps its lease, and answers probes, while 2,000 connections from 20 addresses flood its metrics',
  { timeout: 180_000 },
  async () => {
    const cluster = new Cluster(testCluster()).on('AWS')
    await cluster.prepare()
    const access = await accessOfTheOperator(testCluster(), 'portcullis-flooded', cluster.settings)
    const { authorization = '' } = await access.credentials.current()
    const directory = await mkdtemp(join(tmpdir(), 'portcullis-flood-'))
    onTestFinished(async () => {
      await cluster.close()
      await rm(directory, { recursive: true })
    })
    const content = {
      server: access.server.href,
      ca: String(access.tls.ca),
      user: 'portcullis',
      token: authorization.replace('Bearer ', ''),
    }
    await writeFile(join(directory, 'kubeconfig'), kubeconfig(content), { mode: 0o600 })
    const port = await freePort()
    const { operatorNamespace, operandNamespace } = cluster.settings
    const operator = new OperatorProcess('packages/cli/src/main.ts', {}, [
      'operator',
      `--kubeconfig=${directory}/kubeconfig`,
      `--health-port=${port}`,
      `--operator-namespace=${operatorNamespace}`,
      `--operand-namespace=${operandNamespace}`,
      '--platform=AWS',
    ])
    await eventually(() => expect(operator.log.map(({ msg }) => msg)).toContain('Leading'), 60_000)
    const lease = () => cluster.client.get(Lease, { namespace: operatorNamespace, name: 'portcullis' })
    const before = await lease()

    const args = [
      '--import',
      'tsx',
      'testing/security/flood.ts',
      `${port}`,
      '2000',
      `${floodSeconds}`,
      ...floodAddresses,
    ]
    const flood = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void flood.kill('SIGKILL'))
    const counted = text(flood.stdout)
    const isOver = once(flood, 'exit')
    let inARow = 0
    let mostInARow = 0
    while (flood.exitCode === null) {
      for (const path of ['/healthz', '/readyz']) {
        inARow = (await probe(port, path)) ? 0 : inARow + 1
        mostInARow = Math.max(mostInARow, inARow)
      }
      await pause(200)
    }
    await isOver

    const { tried, answers } = JSON.parse(await counted) as { tried: number; answers: number }
    console.log(`A flood of ${floodSeconds} s: ${tried} connections, ${answers} answers`)
    expect(tried, 'the flood is one').toBeGreaterThanOrEqual(2_000)
    const { rate, reserve } = defaultLimits
    const most = rate.burst + reserve.burst + (rate.perSecond + reserve.perSecond) * (floodSeconds + 5)
    expect(answers, 'more is answered than all may ask').toBeLessThan(most)
    expect(mostInARow, 'a kubelet would restart it after three failures').toBeLessThan(3)
    const said = operator.log.map(({ msg }) => msg)
    expect(said.filter((line) => line.includes('no longer leads'))).toEqual([])
    const after = await lease()
    expect(after.spec?.holderIdentity).toBe(before.spec?.holderIdentity)
    expect(after.spec?.leaseTransitions).toBe(before.spec?.leaseTransitions)
    expect(after.spec?.renewTime).not.toBe(before.spec?.renewTime)
  },
)
