import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { infrastructureCommand } from './infrastructure.ts'

const right =
  'baseDomain: example.com\nmetadata: {name: shop}\nplatform:\n  vsphere:\n    apiVIPs: [10.0.0.5]\n    ingressVIPs: [10.0.0.7]\n'

async function run(text: string, ...args: string[]): Promise<string> {
  const output: string[] = []
  const command = infrastructureCommand((line) => void output.push(line), {
    stdin: Readable.from([Buffer.from(text)]),
  })
  await command.exitOverride().parseAsync([...args, '-'], { from: 'user' })
  return output.join('\n')
}

test('the object is printed as YAML, or as JSON', async () => {
  const object: unknown = parse(await run(right))
  expect(object).toMatchObject({
    apiVersion: 'config.openshift.io/v1',
    kind: 'Infrastructure',
    metadata: { name: 'cluster' },
    status: { platformStatus: { vsphere: { apiServerInternalIPs: ['10.0.0.5'] } } },
  })
  expect(JSON.parse(await run(right, '-o', 'json'))).toEqual(object)
})

test('an install-config with errors is refused, and they are listed', async () => {
  const attempt = run(right.replace('10.0.0.7', '10.128.0.7'))
  await expect(attempt).rejects.toThrow(
    /^No Infrastructure results from an install-config with errors\.\nstdin:6:19: error: .*\[vip-in-cluster-network\]\nstdin: 1 error /,
  )
})

test('the rules are those of the release', async () => {
  const ovirt =
    'baseDomain: example.com\nmetadata: {name: shop}\nplatform: {ovirt: {api_vips: [10.0.0.5], ingress_vips: [10.0.0.7]}}'
  await expect(run(ovirt)).rejects.toThrow('platform-unsupported')
  expect(parse(await run(ovirt, '--openshift-version', '4.13'))).toMatchObject({
    spec: { platformSpec: { type: 'oVirt' } },
  })
})
