import { delimiter, join } from 'node:path'
import { expect } from 'vitest'
import { certificateAuthority } from '../certificates.ts'
import { aKubeconfig, it, type KubeHome } from '../testing/kube-home.ts'

const serverAt = (server: string) => aKubeconfig({ cluster: { server } })
const withKubeconfig = (home: KubeHome, ...paths: string[]) =>
  home.environment({ env: { KUBECONFIG: paths.join(delimiter) } })

async function inAPod(home: KubeHome, more: Record<string, string> = {}) {
  const { certificate } = await certificateAuthority('ca')
  await home.write('account/token', 'pod-token\n')
  await home.write('account/ca.crt', certificate)
  await home.write('account/namespace', 'ingress\n')
  return home.environment({
    env: { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443', ...more },
    serviceAccountDirectory: home.path('account'),
  })
}

it('Access comes from ~/.kube/config by default', async ({ home }) => {
  const path = await home.write('.kube/config', serverAt('https://home.example'))
  const access = await home.load()
  expect(access.server.href).toBe('https://home.example/')
  expect(access.source).toBe(`context "prod" of ${path}`)
})

it('Access comes from KUBECONFIG rather than ~/.kube/config', async ({ home }) => {
  await home.write('.kube/config', serverAt('https://home.example'))
  const listed = await home.write('listed', serverAt('https://listed.example'))
  const access = await home.load({ environment: withKubeconfig(home, listed) })
  expect(access.server.host).toBe('listed.example')
})

it('Access comes from the file that was asked for rather than KUBECONFIG, and no other file is read', async ({
  home,
}) => {
  const broken = await home.write('broken', 'clusters: 5')
  const asked = await home.write('asked', serverAt('https://asked.example'))
  const access = await home.load({ kubeconfig: asked, environment: withKubeconfig(home, broken) })
  expect(access.server.host).toBe('asked.example')
})

it('Access comes from the pod when there is no kubeconfig', async ({ home }) => {
  const access = await home.load({ environment: await inAPod(home) })
  expect(access.server.href).toBe('https://10.96.0.1/')
  expect(access.source).toContain('service account of this pod')
})

it('Access comes from a kubeconfig rather than the pod', async ({ home }) => {
  await home.write('.kube/config', serverAt('https://home.example'))
  const access = await home.load({ environment: await inAPod(home) })
  expect(access.server.host).toBe('home.example')
})

it('Access comes from the pod when the kubeconfig names no current context', async ({ home }) => {
  await home.write('.kube/config', { ...serverAt('https://home.example'), 'current-context': '' })
  const access = await home.load({ environment: await inAPod(home) })
  expect(access.server.host).toBe('10.96.0.1')
})

it('Access never comes from the pod when a file or a context was asked for', async ({ home }) => {
  const environment = await inAPod(home)
  const empty = await home.write('empty', '')
  await expect(home.load({ environment, kubeconfig: empty })).rejects.toThrow(
    `${empty}: current-context: is missing`,
  )
  await expect(home.load({ environment, context: 'prod' })).rejects.toThrow('there is no context "prod"')
})

it('The namespace that was asked for is taken, from a kubeconfig and in a pod', async ({ home }) => {
  const environment = await inAPod(home)
  expect(await home.load({ environment, namespace: 'asked' })).toMatchObject({ namespace: 'asked' })
  await home.write('.kube/config', aKubeconfig({ context: { namespace: 'written' } }))
  expect(await home.load({ environment, namespace: 'asked' })).toMatchObject({ namespace: 'asked' })
})

it('The files in KUBECONFIG may be missing, empty, or named twice', async ({ home }) => {
  const file = await home.write('there', serverAt('https://there.example'))
  const environment = withKubeconfig(home, home.path('not-there'), '', file, file)
  expect((await home.load({ environment })).server.host).toBe('there.example')
})

it('The files in KUBECONFIG are reported once even if named twice', async ({ home }) => {
  const broken = await home.write('broken', 'clusters: 5')
  await expect(home.load({ environment: withKubeconfig(home, broken, broken) })).rejects.toMatchObject({
    problems: [`${broken}: clusters: must be a list, but is a number`],
  })
})

it('The files in KUBECONFIG are not replaced by ~/.kube/config when all are missing', async ({ home }) => {
  await home.write('.kube/config', serverAt('https://home.example'))
  const environment = withKubeconfig(home, home.path('not-there'))
  await expect(home.load({ environment })).rejects.toThrow(
    `KUBECONFIG: ${home.path('not-there')} does not exist`,
  )
})

it('The error without any access names where it was looked for and what to do', async ({ home }) => {
  await expect(home.load()).rejects.toThrow(
    [
      'No cluster to talk to. Looked for:',
      '- KUBECONFIG: is not set',
      `- ~/.kube/config: ${join(home.directory, '.kube/config')} does not exist`,
      '- the service account of a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set',
      'Name a kubeconfig with --kubeconfig or KUBECONFIG, or run in a pod with a service account.',
    ].join('\n'),
  )
})

it('The error without any access names the missing token of a pod', async ({ home }) => {
  const env = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' }
  const environment = home.environment({ env, serviceAccountDirectory: home.path('account') })
  await expect(home.load({ environment })).rejects.toThrow(`${home.path('account/token')} does not exist`)
})

it('The error of a missing file names the file that was asked for', async ({ home }) => {
  await expect(home.load({ kubeconfig: home.path('nope') })).rejects.toThrow(
    `kubeconfig: ${home.path('nope')} does not exist; name the file that holds it`,
  )
})

it('The error without a chosen context lists the contexts', async ({ home }) => {
  const { 'current-context': _, ...config } = serverAt('https://home.example')
  const path = await home.write('.kube/config', config)
  await expect(home.load()).rejects.toThrow(
    `${path}: current-context: is missing; choose one of "prod" with --context`,
  )
})
