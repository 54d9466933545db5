import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { run as runCommand } from '../../testing/captured-io.ts'

const valid =
  'baseDomain: example.com\nmetadata: {name: shop}\nplatform:\n  vsphere:\n    apiVIPs: [10.0.0.5]\n    ingressVIPs: [10.0.0.7]\n'

function run(text: string, ...args: string[]) {
  return runCommand(['install-config', 'infrastructure', ...args, '-'], { input: text })
}

test('The Infrastructure is printed as YAML, or as JSON', async () => {
  const object: unknown = parse((await run(valid)).stdout)
  expect(object).toMatchObject({
    apiVersion: 'config.openshift.io/v1',
    kind: 'Infrastructure',
    metadata: { name: 'cluster' },
    status: { platformStatus: { vsphere: { apiServerInternalIPs: ['10.0.0.5'] } } },
  })
  expect(JSON.parse((await run(valid, '-o', 'json')).stdout)).toEqual(object)
})

test('An install-config with errors is refused, and the errors are listed', async () => {
  const { stdout, stderr, code } = await run(valid.replace('10.0.0.7', '10.128.0.7'))
  expect({ stdout, code }).toEqual({ stdout: '', code: 1 })
  expect(stderr).toMatch(
    /^portcullis: The install-config has errors, so no Infrastructure is printed\.\nstdin:6:19: error: .*\[vip-in-cluster-network\]\nstdin: 1 error /,
  )
})

test('`--openshift-version` selects the rules of a release for the Infrastructure', async () => {
  const ovirt =
    'baseDomain: example.com\nmetadata: {name: shop}\nplatform: {ovirt: {api_vips: [10.0.0.5], ingress_vips: [10.0.0.7]}}'
  expect((await run(ovirt)).stderr).toContain('platform-unsupported')
  expect(parse((await run(ovirt, '--openshift-version', '4.13')).stdout)).toMatchObject({
    spec: { platformSpec: { type: 'oVirt' } },
  })
})
