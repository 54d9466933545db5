import { expect, test } from 'vitest'
import { anonymousCredentials } from '../config/credentials.ts'
import { DeadlineError } from './buffered-request.ts'
import { describeConnectionProblem } from './connection-problem.ts'

const access = {
  source: 'context "prod" of /home/ann/.kube/config',
  server: new URL('https://east.example:6443'),
  namespace: 'default',
  tls: { insecureSkipVerify: false },
  credentials: anonymousCredentials(),
}

const failure = (code: string, message: string) => Object.assign(new Error(message), { code })

test('A certificate signed by a replaced authority of the same name is described as a certificate problem', () => {
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

test('The code that matters may be some causes further down', () => {
  const wrapped = new Error('fetch failed', {
    cause: failure('ENOTFOUND', 'getaddrinfo ENOTFOUND east.example'),
  })
  expect(describeConnectionProblem(wrapped, access)).toMatch(
    /^the host name of https:\/\/east.example:6443 cannot be resolved \(ENOTFOUND\); check DNS, or the API server in context "prod"/,
  )
})

test('With a proxy in front of the server, the proxy is the host that was not found', () => {
  const proxied = { ...access, proxy: new URL('http://ann:secret@proxy.example:3128') }
  expect(describeConnectionProblem(failure('ECONNREFUSED', 'connect ECONNREFUSED'), proxied)).toBe(
    'nothing listens at the proxy proxy.example:3128; ' +
      'check that the proxy runs and that context "prod" of /home/ann/.kube/config names it',
  )
})

test.each(['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'])(
  '%s is described as a problem of the certificate',
  (code) => {
    expect(describeConnectionProblem(failure(code, ''), access)).toBe(
      `the certificate of https://east.example:6443 is not accepted (${code}: ${code}); ` +
        'check certificate-authority and tls-server-name in context "prod" of /home/ann/.kube/config',
    )
  },
)

test('A name server that does not answer is described like one that does not know the name', () => {
  expect(describeConnectionProblem(failure('EAI_AGAIN', 'getaddrinfo EAI_AGAIN'), access)).toBe(
    'the host name of https://east.example:6443 cannot be resolved (EAI_AGAIN); ' +
      'check DNS, or the API server in context "prod" of /home/ann/.kube/config',
  )
})

test.each([
  { failed: failure('ECONNRESET', 'read ECONNRESET'), described: 'read ECONNRESET' },
  { failed: failure('ECONNRESET', ''), described: 'ECONNRESET' },
  { failed: new TypeError(''), described: 'TypeError' },
  { failed: 'no error at all', described: 'no error at all' },
])(
  'Any other failure is described by its message, else its code, else its name: $described',
  ({ failed, described }) => {
    expect(describeConnectionProblem(failed, access)).toBe(
      `the connection to https://east.example:6443 failed: ${described}`,
    )
  },
)

test('The description of a timeout names the server and the proxy on the way', () => {
  const late = new DeadlineError(5000)
  const proxied = { ...access, proxy: new URL('http://proxy.example:3128') }
  expect([access, proxied].map((each) => describeConnectionProblem(late, each))).toEqual([
    'no answer within 5.0 s from https://east.example:6443; is the API server overloaded or cut off?',
    'no answer within 5.0 s from https://east.example:6443 through the proxy proxy.example:3128; ' +
      'is the API server overloaded or cut off?',
  ])
})

test('Without a proxy the API server is the host that was not found', () => {
  expect(describeConnectionProblem(failure('ECONNREFUSED', 'connect ECONNREFUSED'), access)).toBe(
    'nothing listens at https://east.example:6443; ' +
      'check that the API server runs and that context "prod" of /home/ann/.kube/config names it',
  )
})

test('The innermost code among the causes counts, and a cause without one hides none', () => {
  const refused = Object.assign(new Error('outer', { cause: failure('ECONNREFUSED', '') }), {
    code: 'UND_ERR',
  })
  expect(describeConnectionProblem(refused, access)).toMatch(/^nothing listens at/)
  const unnamed = Object.assign(new Error('outer', { cause: new Error('inner') }), { code: 'ENOTFOUND' })
  expect(describeConnectionProblem(unnamed, access)).toMatch(/cannot be resolved \(ENOTFOUND\)/)
})
