import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '@portcullis/cli/internal/testing/captured-io.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unique } from '../conformance/api-verbs.ts'
import { clusters, type KubectlCluster } from '../conformance/kubectl/clusters.ts'
import type { Terminal } from '../conformance/kubectl/terminal.ts'

const definition = join(import.meta.dirname, '../../deploy/crds/config.openshift.io_infrastructures.yaml')

const vips = {
  camel: 'apiVIPs: [10.0.0.5], ingressVIPs: [10.0.0.7]',
  snake: 'api_vips: [10.0.0.5], ingress_vips: [10.0.0.7]',
}
const platforms = [
  ['baremetal', vips.camel],
  ['nutanix', vips.camel],
  ['openstack', vips.camel],
  ['ovirt', vips.snake],
  ['vsphere', vips.camel],
] as const

async function printed(platform: string): Promise<string> {
  const text = `baseDomain: example.com\nmetadata: {name: shop}\nfeatureSet: TechPreviewNoUpgrade\nplatform: {${platform}}\n`
  const command = ['install-config', 'infrastructure', '--openshift-version', '4.13', '-']
  const { stdout, stderr, code } = await run(command, { input: text })
  expect(code, stderr).toBe(0)
  return stdout
}

describe.each(clusters)('On $title, what `install-config infrastructure` prints', ({ start }) => {
  let cluster: KubectlCluster
  let terminal: Terminal
  let directory: string
  beforeAll(async () => {
    cluster = await start()
    directory = await mkdtemp(join(tmpdir(), 'portcullis-infrastructure-'))
    terminal = await cluster.open(unique('infrastructure'))
    await terminal.type(`kubectl apply --server-side -f ${definition}`)
    await terminal.type('kubectl wait --for=condition=Established crd/infrastructures.config.openshift.io')
  })
  afterAll(async () => {
    await cluster.close()
    await rm(directory, { recursive: true, force: true })
  })

  test.each(platforms)(
    'The output is applied by the commands of its help on %s',
    async (platform, addresses) => {
      const name = unique('cluster')
      const file = join(directory, `${name}.yaml`)
      const text = await printed(`${platform}: {${addresses}, loadBalancer: {type: UserManaged}}`)
      await writeFile(file, text.replace('name: cluster', `name: ${name}`))
      const said = `infrastructure.config.openshift.io/${name}`
      expect(await terminal.type(`kubectl apply -f ${file}`)).toBe(`${said} created\n`)
      const status = `kubectl apply --server-side --subresource=status -f ${file}`
      expect(await terminal.type(status)).toBe(`${said} serverside-applied\n`)
      const ask = `kubectl get infrastructure ${name} -o jsonpath='{.status.platformStatus.${platform}.loadBalancer.type} {.status.platformStatus.${platform}.ingressIPs} {.spec.platformSpec.type}'`
      const type = /platform: (\S+)/.exec(text)?.[1]
      expect(await terminal.type(ask)).toBe(`UserManaged ["10.0.0.7"] ${type}\n`)

      expect(await terminal.type(`kubectl apply -f ${file}`)).toBe(`${said} unchanged\n`)
      const otherwise = `sed s/UserManaged/OpenShiftManagedDefault/ ${file} | kubectl apply --server-side --subresource=status -f -`
      expect(await terminal.type(otherwise)).toContain('type is immutable once set')
      expect(await terminal.type(`kubectl delete infrastructure ${name}`)).toContain('deleted')
    },
  )
})
