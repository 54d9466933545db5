import { expect, test } from 'vitest'
import { printFigures } from './figures.ts'
import {
  createController,
  isSettled,
  must,
  operandNamespace,
  operatorNamespace,
  sharedInstallation,
} from './installation.ts'

const installation = sharedInstallation()

interface Summary {
  readonly pods: readonly {
    readonly podRef: { readonly name: string; readonly namespace: string }
    readonly containers?: readonly { readonly memory?: { readonly rssBytes?: number } }[]
  }[]
}

/** What the kernel accounts to the containers of a namespace, in bytes, by pod. */
async function rssIn(namespace: string): Promise<readonly number[]> {
  const { bed } = installation()
  const summaries = await Promise.all(
    bed.nodes.map(({ name }) => must(bed, ['get', '--raw', `/api/v1/nodes/${name}/proxy/stats/summary`])),
  )
  return summaries
    .flatMap((summary) => (JSON.parse(summary) as Summary).pods)
    .filter(({ podRef }) => podRef.namespace === namespace)
    .map(({ containers = [] }) => containers.reduce((sum, { memory }) => sum + (memory?.rssBytes ?? 0), 0))
}

test('An operator at rest stays far below its memory limit', async () => {
  await isSettled(await createController(installation(), 'measured', { type: 'Private' }))
  const operators = await rssIn(operatorNamespace)
  const routers = await rssIn(operandNamespace)
  expect(operators).toHaveLength(2)
  expect(Math.min(...operators, ...routers)).toBeGreaterThan(0)
  expect(Math.max(...operators)).toBeLessThan(200 * 2 ** 20)
  const inMib = (bytes: readonly number[]) => Math.round(Math.max(...bytes) / 2 ** 20)
  printFigures(
    'Memory at rest',
    `${inMib(operators)} MiB for an operator`,
    `${inMib(routers)} MiB for a stand-in of a router`,
  )
})
