import type { ClusterAccess } from '../config/access.ts'
import { DeadlineError } from './buffered-request.ts'

/** What went wrong on the way to the API server, as a sentence that ends in what to do. */
export function describeConnectionProblem(error: unknown, { server, source, proxy }: ClusterAccess): string {
  const code = codeOf(error)
  const at = proxy === undefined ? server.origin : `${server.origin} through the proxy ${proxy.host}`
  if (error instanceof DeadlineError)
    return `${error.message} from ${at}; is the API server overloaded or cut off?`
  // We ourselves look for the proxy only: to find the server is up to that.
  const [nearest, hop] =
    proxy === undefined ? [server.origin, 'API server'] : [`the proxy ${proxy.host}`, 'proxy']
  if (code === 'ECONNREFUSED') {
    return `nothing listens at ${nearest}; check that the ${hop} runs and that ${source} names it`
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return `the host name of ${nearest} cannot be resolved (${code}); check DNS, or the ${hop} in ${source}`
  }
  if (certificateProblems.has(code)) {
    return (
      `the certificate of ${at} is not accepted (${code}: ${messageOf(error)}); ` +
      `check certificate-authority and tls-server-name in ${source}`
    )
  }
  return `the connection to ${at} failed: ${messageOf(error)}`
}

/** OpenSSL's words for it, of which a cluster that was set up anew meets CERT_SIGNATURE_FAILURE: its authority has the old name. */
const certificateProblems = new Set([
  'CERT_CHAIN_TOO_LONG',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
  'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

/** undici wraps the system's error; the code that matters is often one cause further down. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const { code } = error as { code?: string }
  const inner = codeOf(error.cause)
  return inner === '' ? (code ?? '') : inner
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message === '' ? codeOf(error) || error.name : error.message
}
