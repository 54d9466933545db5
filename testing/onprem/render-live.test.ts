import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commandIO } from '@portcullis/cli/internal/io/command-io.ts'
import { run } from '@portcullis/cli/internal/testing/captured-io.ts'
import { infrastructureFrom } from '@portcullis/onprem'
import { infrastructurePlatforms } from '@portcullis/onprem/internal/infrastructure-platforms.ts'
import { expect, onTestFinished, test } from 'vitest'
import { stringify } from 'yaml'
import { sharedControlPlane } from '../clusters/shared-control-plane.ts'

const definition = join(import.meta.dirname, '../../deploy/crds/config.openshift.io_infrastructures.yaml')

test('The render command reads virtual IPs and control plane nodes from a running cluster, which accepts the rendered pods', async () => {
  const plane = sharedControlPlane()
  const kubectl = async (line: string, input = '') => {
    const { code, stderr } = await plane.kubectl(line.split(' '), { input })
    if (code !== 0) throw new Error(`kubectl ${line}: ${stderr}`)
  }
  const object = stringify(
    infrastructureFrom(
      'baseDomain: example.com\nmetadata: {name: shop}\nplatform: {baremetal: {apiVIPs: [10.0.0.5], ingressVIPs: [10.0.0.7]}}',
    ),
  )
  const node = stringify({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'control-1', labels: { 'node-role.kubernetes.io/control-plane': '' } },
    status: {
      addresses: [
        { type: 'InternalIP', address: '10.0.0.20' },
        { type: 'Hostname', address: 'control-1' },
      ],
    },
  })
  await kubectl(`apply --server-side -f ${definition}`)
  await kubectl('wait --for=condition=Established crd/infrastructures.config.openshift.io')
  onTestFinished(async () => {
    await kubectl('delete infrastructure cluster')
    await kubectl('delete node control-1')
  })
  await kubectl('apply -f -', object)
  await kubectl('apply --server-side --subresource=status -f -', object)
  await kubectl('create -f -', node)

  const out = await mkdtemp(join(tmpdir(), 'portcullis-render-live-'))
  onTestFinished(() => rm(out, { recursive: true }))
  const args = [
    'render',
    '--infrastructure',
    'live',
    '--kubeconfig',
    plane.kubeconfigPath,
    '--role',
    'master',
    '--out',
    out,
  ]
  const { stderr, code } = await run(args, {
    connect: (choice) => commandIO(process).connect(choice),
  })
  expect(code, stderr).toBe(0)
  const resources = join(out, 'etc/kubernetes/static-pod-resources')
  expect(await readFile(join(resources, 'haproxy/haproxy.cfg'), 'utf8')).toContain(
    'server 10.0.0.20 10.0.0.20:6443',
  )
  const corefile = await readFile(join(resources, 'coredns/Corefile'), 'utf8')
  expect(corefile).toContain('10.0.0.20 control-1 control-1.shop.example.com')
  expect(corefile).toContain('10.0.0.7')

  const { namespace } = infrastructurePlatforms.baremetal
  await kubectl(`create namespace ${namespace}`)
  onTestFinished(() => kubectl(`delete namespace ${namespace} --wait=false`))
  await kubectl(`create --dry-run=server --validate=strict -f ${join(out, 'etc/kubernetes/manifests')}`)
})
