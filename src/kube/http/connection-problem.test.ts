import { expect, test } from 'vitest'
import { anonymousCredentials } from '../access/credentials.ts'
import { describeConnectionProblem } from './connection-problem.ts'

const access = {
  source: 'context "prod" of /home/ann/.kube/config',
  server: new URL('https://east.example:6443'),
  namespace: 'default',
  tls: { insecureSkipVerify: false },
  credentials: anonymousCredentials(),
}

const failure = (code: string, message: string) => Object.assign(new Error(message), { code })

test('a certificate of an authority that has been replaced by one of the same name is told as what it is', () => {
  const problem = describeConnectionProblem(
    failure('CERT_SIGNATURE_FAILURE', 'certificate signature failure'),
    access,
  )
  expect(problem).toBe(
    'the certificate of https://east.example:6443 is not accepted ' +
      '(CERT_SIGNATURE_FAILURE: certificate signature failure); ' +
      'check certificate-authority and tls-server-name in context "prod" of /home/ann/.kube/config',
  )
})

test('the code that says something may be some causes further down', () => {
  const wrapped = new Error('fetch failed', {
    cause: failure('ENOTFOUND', 'getaddrinfo ENOTFOUND east.example'),
  })
  expect(describeConnectionProblem(wrapped, access)).toMatch(
    /^the host name of https:\/\/east.example:6443 cannot be resolved \(ENOTFOUND\); check DNS, or the API server in context "prod"/,
  )
})

test('with a proxy in front of the server, it is the proxy that was not found', () => {
  const proxied = { ...access, proxy: new URL('http://ann:secret@proxy.example:3128') }
  expect(describeConnectionProblem(failure('ECONNREFUSED', 'connect ECONNREFUSED'), proxied)).toBe(
    'nothing listens at the proxy proxy.example:3128; ' +
      'check that the proxy runs and that context "prod" of /home/ann/.kube/config names it',
  )
})
