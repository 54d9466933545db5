import { ConfigMap, Ingress, isNotFound } from '@portcullis/kube'
import { describe, expect, test } from 'vitest'
import { sharedControlPlane } from '../clusters/shared-control-plane.ts'
import { adminAccess, aNamespace, connect } from '../clusters/test-client.ts'
import { Service } from './is-gone.ts'

const plane = sharedControlPlane()

describe('Error messages', () => {
  test('The error of a 404 says what does not exist', async () => {
    const { client, namespace } = await aNamespace(plane)
    const ref = { namespace, name: 'web' }
    const sentence = `ConfigMap ${namespace}/web: 404 NotFound: configmaps "web" not found`
    await expect(client.get(ConfigMap, ref)).rejects.toThrow(`Cannot get ${sentence}`)
    await expect(client.delete(ConfigMap, ref)).rejects.toThrow(`Cannot delete ${sentence}`)
    const patch = client.patch(ConfigMap, ref, { type: 'merge', body: {} })
    await expect(patch).rejects.toThrow(`Cannot patch ${sentence}`)
    await expect(client.get(ConfigMap, { namespace: 'nowhere', name: 'web' })).rejects.toSatisfy(isNotFound)
    await expect(
      client.create(ConfigMap, { metadata: { namespace: 'nowhere', name: 'web' } }),
    ).rejects.toThrow('Cannot create ConfigMap nowhere/web: 404 NotFound: namespaces "nowhere" not found')
  })

  test('The error of a 403 says what is not allowed', async () => {
    const admin = await adminAccess(plane)
    const client = connect({ ...admin, credentials: bearing(plane.unprivilegedToken) })
    const get = client.get(ConfigMap, { namespace: 'default', name: 'web' })
    await expect(get).rejects.toMatchObject({ code: 403, reason: 'Forbidden' })
    await expect(get).rejects.toThrow(
      'Cannot get ConfigMap default/web: 403 Forbidden: configmaps "web" is forbidden: ' +
        'User "nobody" cannot get resource "configmaps" in API group "" in the namespace "default"',
    )
    await expect(client.list(ConfigMap)).rejects.toThrow(
      'Cannot list ConfigMap in all namespaces: 403 Forbidden: ',
    )
    const patch = { type: 'merge', body: {} } as const
    const options = { subresource: 'status' } as const
    await expect(
      client.patch(Ingress, { namespace: 'default', name: 'web' }, patch, options),
    ).rejects.toThrow('Cannot patch the status of Ingress default/web: 403 Forbidden: ')
  })

  test('The error of a 401 says that the client is not authenticated', async () => {
    const admin = await adminAccess(plane)
    let token = plane.adminToken
    const credentials = { current: () => bearing(token).current(), rejected: async () => false }
    const client = connect({ ...admin, credentials })
    await client.list(ConfigMap, { namespace: 'default' })
    token = 'expired'
    await expect(client.get(ConfigMap, { namespace: 'default', name: 'web' })).rejects.toThrow(
      'Cannot get ConfigMap default/web: 401 Unauthorized: Unauthorized',
    )
  })

  test('The error of a 422 says what is invalid in which field', async () => {
    const { client, namespace } = await aNamespace(plane)
    const create = client.create(Service, {
      metadata: { namespace, name: 'web' },
      spec: { type: 'NodePort', ports: [{ port: 70_000 }], externalTrafficPolicy: 'Lokal' },
    })
    await expect(create).rejects.toMatchObject({
      code: 422,
      reason: 'Invalid',
      causes: expect.arrayContaining([
        'spec.ports[0].port: Invalid value: 70000: must be between 1 and 65535, inclusive',
        expect.stringMatching(/^spec\.externalTrafficPolicy: Unsupported value: "Lokal"/),
      ]),
    })
    await expect(create).rejects.toThrow(
      `Cannot create Service ${namespace}/web: 422 Invalid: Service "web" is invalid: `,
    )
  })
})

function bearing(token: string) {
  const credential = { authorization: `Bearer ${token}` }
  return { current: async () => credential, rejected: async () => false }
}
