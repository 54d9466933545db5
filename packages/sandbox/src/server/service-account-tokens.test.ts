import type { AnyObject } from '@portcullis/schema'
import { expect, it } from 'vitest'
import { ownAudience, ServiceAccountTokens } from './service-account-tokens.ts'

const bot: AnyObject = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { namespace: 'shop', name: 'bot', uid: 'u1' },
}

/** An issuer for a cluster with one account, whose time and account can be changed. */
function aTokenIssuer() {
  const state = { account: bot as AnyObject | undefined, now: new Date('2030-01-01T00:00:00Z') }
  const tokens = new ServiceAccountTokens({ find: () => state.account, now: () => state.now })
  const issue = (audiences: readonly string[] = [ownAudience]) =>
    tokens.issue({ account: bot, audiences, expirationSeconds: 600, id: 'j1', now: state.now })
  return { state, tokens, issue }
}

it('A token of a service account names its account, to its readers and to the server', () => {
  const { tokens, issue } = aTokenIssuer()
  const { token, expires } = issue()
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as object
  expect(claims).toMatchObject({ sub: 'system:serviceaccount:shop:bot', jti: 'j1', aud: [ownAudience] })
  expect(expires).toEqual(new Date('2030-01-01T00:10:00Z'))
  expect(tokens.get(token)).toMatchObject({
    username: 'system:serviceaccount:shop:bot',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
  })
})

it('A token of a service account is valid until it expires', () => {
  const { state, tokens, issue } = aTokenIssuer()
  const { token, expires } = issue()
  state.now = expires
  expect(tokens.get(token)).toBeUndefined()
})

it.each([undefined, { ...bot, metadata: { ...bot.metadata, uid: 'u2' } }])(
  'A token of a service account ends with its account, though another of that name may come',
  (account) => {
    const { state, tokens, issue } = aTokenIssuer()
    const { token } = issue()
    state.account = account
    expect(tokens.get(token)).toBeUndefined()
  },
)

it('A token of a service account for another audience does not open the API', () => {
  const { tokens, issue } = aTokenIssuer()
  expect(tokens.get(issue(['vault']).token)).toBeUndefined()
})
