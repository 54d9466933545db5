import { rm } from 'node:fs/promises'
import { expect } from 'vitest'
import { certificateAuthority } from '../certificates.ts'
import { silentLogger } from '../log.ts'
import { base64, it } from '../testing/kube-home.ts'

it('A token in a file is read again after ten seconds, not before', async ({ home }) => {
  const tokenFile = await home.write('token', 'first\n')
  const { credentials } = await home.loadWith({ user: { tokenFile } })
  await home.write('token', 'second\n')
  await home.clock.advance(9_999)
  expect(await credentials.current()).toEqual({ authorization: 'Bearer first' })
  await home.clock.advance(1)
  expect(await credentials.current()).toEqual({ authorization: 'Bearer second' })
})

it('A token in a file is read again at once after a 401', async ({ home }) => {
  const tokenFile = await home.write('token', 'first')
  const { credentials } = await home.loadWith({ user: { tokenFile } })
  const first = await credentials.current()
  await home.write('token', 'second')
  expect(await credentials.rejected(first)).toBe(true)
  expect(await credentials.current()).toEqual({ authorization: 'Bearer second' })
})

it('A rejected token whose file has not changed is not worth another try', async ({ home }) => {
  const tokenFile = await home.write('token', 'only')
  const { credentials } = await home.loadWith({ user: { tokenFile } })
  expect(await credentials.rejected(await credentials.current())).toBe(false)
})

it('A rejected token whose file has been replaced is worth another try', async ({ home }) => {
  const tokenFile = await home.write('token', 'first')
  const { credentials } = await home.loadWith({ user: { tokenFile } })
  const first = await credentials.current()
  await home.write('token', 'second')
  await home.clock.advance(10_000)
  await credentials.current()
  expect(await credentials.rejected(first)).toBe(true)
})

it('A token stays the identical credential as long as its file has the same content', async ({ home }) => {
  const tokenFile = await home.write('token', 'same')
  const { credentials } = await home.loadWith({ user: { tokenFile } })
  const first = await credentials.current()
  await home.write('token', 'same\n')
  await home.clock.advance(10_000)
  expect(await credentials.current()).toBe(first)
})

it('A token is kept, with a warning, while its file is gone or empty', async ({ home }) => {
  const warnings: unknown[] = []
  const log = { ...silentLogger, warn: (fields: object) => warnings.push(fields) }
  const tokenFile = await home.write('token', 'first')
  const { credentials } = await home.loadWith({ user: { tokenFile } }, { log })
  await rm(tokenFile)
  await home.clock.advance(10_000)
  expect(await credentials.current()).toEqual({ authorization: 'Bearer first' })
  await home.write('token', '')
  await home.clock.advance(10_000)
  expect(await credentials.current()).toEqual({ authorization: 'Bearer first' })
  expect(warnings).toHaveLength(2)
  await home.write('token', 'second')
  await home.clock.advance(10_000)
  expect(await credentials.current()).toEqual({ authorization: 'Bearer second' })
})

it('A token in a file wins over the token beside it', async ({ home }) => {
  const tokenFile = await home.write('token', 'from-file')
  const { credentials } = await home.loadWith({ user: { tokenFile, token: 'inline' } })
  expect(await credentials.current()).toEqual({ authorization: 'Bearer from-file' })
  await rm(tokenFile)
  await home.clock.advance(10_000)
  expect(await credentials.current()).toEqual({ authorization: 'Bearer from-file' })
})

it('The token beside a token file is used until the file can be read', async ({ home }) => {
  const tokenFile = home.path('token')
  const { credentials } = await home.loadWith({ user: { tokenFile, token: 'inline' } })
  expect(await credentials.current()).toEqual({ authorization: 'Bearer inline' })
  await home.write('token', 'from-file')
  await home.clock.advance(10_000)
  expect(await credentials.current()).toEqual({ authorization: 'Bearer from-file' })
})

it('A client certificate in files is taken up when it has rotated', async ({ home }) => {
  const before = await certificateAuthority('portcullis-test-authority')
  const after = await certificateAuthority('portcullis-test-authority')
  const user = {
    'client-certificate': await home.write('ann.pem', before.certificate),
    'client-key': await home.write('ann-key.pem', before.key),
  }
  const { credentials } = await home.loadWith({ user })
  const first = await credentials.current()
  expect(first).toEqual({ clientCertificate: before })
  await home.write('ann.pem', after.certificate)
  await home.write('ann-key.pem', after.key)
  expect(await credentials.current()).toBe(first)
  await home.clock.advance(10_000)
  expect(await credentials.current()).toEqual({ clientCertificate: after })
})

it('A client certificate is kept while only half of the pair has been replaced', async ({ home }) => {
  const before = await certificateAuthority('portcullis-test-authority')
  const after = await certificateAuthority('portcullis-test-authority')
  const user = {
    'client-certificate': await home.write('ann.pem', before.certificate),
    'client-key': await home.write('ann-key.pem', before.key),
  }
  const { credentials } = await home.loadWith({ user })
  await home.write('ann.pem', after.certificate)
  await home.clock.advance(10_000)
  expect(await credentials.current()).toEqual({ clientCertificate: before })
})

it('Credentials inside the kubeconfig never change, so that a rejected one is not worth another try', async ({
  home,
}) => {
  const { certificate, key } = await certificateAuthority('portcullis-test-authority')
  const { credentials } = await home.loadWith({
    user: {
      token: 'fixed',
      'client-certificate-data': base64(certificate),
      'client-key-data': base64(key),
    },
  })
  const first = await credentials.current()
  await home.clock.advance(3_600_000)
  expect(await credentials.current()).toBe(first)
  expect(await credentials.rejected(first)).toBe(false)
})

it('Credentials are not given to a caller who has given up', async ({ home }) => {
  const { credentials } = await home.loadWith({ user: { token: 'fixed' } })
  expect(() => credentials.current(AbortSignal.abort(new Error('no longer')))).toThrow('no longer')
})
