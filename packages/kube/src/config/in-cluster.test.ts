import { rm } from 'node:fs/promises'
import { expect } from 'vitest'
import { certificateAuthority } from '../certificates.ts'
import { it, type KubeHome } from '../testing/kube-home.ts'

async function mountServiceAccount(home: KubeHome) {
  const { certificate } = await certificateAuthority('ca')
  await home.write('account/token', 'first\n')
  await home.write('account/ca.crt', certificate)
  await home.write('account/namespace', 'ingress\n')
  return certificate
}

function podEnvironment(home: KubeHome, env: Record<string, string> = {}) {
  return home.environment({
    env: { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '6443', ...env },
    serviceAccountDirectory: home.path('account'),
  })
}

it('A pod uses the address, authority, namespace and token that it was given', async ({ home }) => {
  const ca = await mountServiceAccount(home)
  const access = await home.load({ environment: podEnvironment(home) })
  expect(access).toMatchObject({ namespace: 'ingress', tls: { ca, insecureSkipVerify: false } })
  expect(access.server.href).toBe('https://10.96.0.1:6443/')
  expect(await access.credentials.current()).toEqual({ authorization: 'Bearer first' })
})

it('A pod puts the IPv6 address of the API server into brackets', async ({ home }) => {
  await mountServiceAccount(home)
  const access = await home.load({
    environment: podEnvironment(home, { KUBERNETES_SERVICE_HOST: 'fd00::1' }),
  })
  expect(access.server.href).toBe('https://[fd00::1]:6443/')
})

it('A pod takes up a rotated token', async ({ home }) => {
  await mountServiceAccount(home)
  const { credentials } = await home.load({ environment: podEnvironment(home) })
  await home.write('account/token', 'second\n')
  await home.clock.advance(10_000)
  expect(await credentials.current()).toEqual({ authorization: 'Bearer second' })
})

it('A pod prefers POD_NAMESPACE, and falls back to "default"', async ({ home }) => {
  await mountServiceAccount(home)
  const access = await home.load({ environment: podEnvironment(home, { POD_NAMESPACE: 'routers' }) })
  expect(access.namespace).toBe('routers')
  await rm(home.path('account/namespace'))
  expect((await home.load({ environment: podEnvironment(home) })).namespace).toBe('default')
})

it('A pod reports everything that is wrong with its service account at once', async ({ home }) => {
  await home.write('account/token', '\n')
  await home.write('account/ca.crt', 'nonsense')
  const failure = home.load({ environment: podEnvironment(home) })
  await expect(failure).rejects.toMatchObject({
    name: 'KubeconfigError',
    problems: [
      `the service account of this pod: ${home.path('account/token')} is empty; it must hold a token`,
      expect.stringContaining(`${home.path('account/ca.crt')} holds no PEM certificate`),
    ],
  })
})
