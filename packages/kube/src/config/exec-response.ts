import type { Credential } from './access.ts'
import { type ExecPlugin, pluginError } from './exec-plugin.ts'
import { isMapping, type Mapping } from './kubeconfig-fields.ts'
import { belongTogether, certificateProblem, privateKeyProblem } from './pem.ts'

/** What a plugin handed out, and how long it is good for. */
export interface IssuedCredential {
  readonly credential: Credential
  readonly expires?: Date
}

/** Understands the ExecCredential that a plugin printed. Its text is never quoted: it holds the secret. */
export function parseExecResponse(plugin: ExecPlugin, stdout: string): IssuedCredential {
  const status = readStatus(plugin, parseJson(plugin, stdout))
  const token = readText(plugin, status, 'token')
  const clientCertificate = readCertificate(plugin, status)
  if (token === undefined && clientCertificate === undefined) {
    throw pluginError(plugin, 'returned neither a token nor a client certificate', '')
  }
  const expires = readExpiry(plugin, status)
  return {
    credential: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(clientCertificate !== undefined && { clientCertificate }),
    },
    ...(expires !== undefined && { expires }),
  }
}

function parseJson(plugin: ExecPlugin, stdout: string): unknown {
  try {
    return JSON.parse(stdout)
  } catch {
    const what = stdout.trim() === '' ? 'printed nothing' : 'printed something that is not JSON'
    throw pluginError(plugin, `${what}; it must print an ExecCredential`, '')
  }
}

function readStatus(plugin: ExecPlugin, response: unknown): Mapping {
  if (!isMapping(response) || response['kind'] !== 'ExecCredential') {
    throw pluginError(plugin, 'printed JSON that is not an ExecCredential', '')
  }
  if (response['apiVersion'] !== plugin.apiVersion) {
    throw pluginError(
      plugin,
      `answered in apiVersion "${String(response['apiVersion'])}", but the kubeconfig says "${plugin.apiVersion}"; write into the kubeconfig what the plugin speaks`,
      '',
    )
  }
  const { status } = response
  if (isMapping(status)) return status
  throw pluginError(plugin, 'returned no status, where the credentials belong', '')
}

function readText(plugin: ExecPlugin, status: Mapping, name: string): string | undefined {
  const value = status[name] ?? ''
  if (typeof value === 'string') return value === '' ? undefined : value
  throw pluginError(plugin, `returned a status.${name} that is not text`, '')
}

function readCertificate(plugin: ExecPlugin, status: Mapping): Credential['clientCertificate'] {
  const certificate = readText(plugin, status, 'clientCertificateData')
  const key = readText(plugin, status, 'clientKeyData')
  if (certificate === undefined && key === undefined) return undefined
  if (certificate === undefined || key === undefined) {
    throw pluginError(
      plugin,
      'returned only one of clientCertificateData and clientKeyData; both are needed',
      '',
    )
  }
  const problem = pairProblem(certificate, key)
  if (problem !== undefined) throw pluginError(plugin, problem, '')
  return { certificate, key }
}

function pairProblem(certificate: string, key: string): string | undefined {
  const ofCertificate = certificateProblem(certificate)
  if (ofCertificate !== undefined) return `returned a clientCertificateData that ${ofCertificate}`
  const ofKey = privateKeyProblem(key)
  if (ofKey !== undefined) return `returned a clientKeyData that ${ofKey}`
  return belongTogether(certificate, key) ? undefined : 'returned a clientKeyData of another certificate'
}

function readExpiry(plugin: ExecPlugin, status: Mapping): Date | undefined {
  const text = readText(plugin, status, 'expirationTimestamp')
  if (text === undefined) return undefined
  const expires = new Date(text)
  if (!Number.isNaN(expires.getTime())) return expires
  throw pluginError(plugin, `returned an expirationTimestamp that is no time: "${text}"`, '')
}
