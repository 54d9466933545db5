import { Agent, request } from 'node:https'
import { json } from 'node:stream/consumers'
import type { TLSSocket } from 'node:tls'
import { endpoint } from '../endpoint.ts'
import { type Control, proof, proofHeader } from './control.ts'

export interface ControlClientOptions {
  readonly address: string
  readonly port: number
  readonly token: string
  readonly timeoutMs: number
}

/** @throws a sentence that names the fake backend if it cannot be asked, or does not obey */
export async function command<P extends keyof Control>(
  options: ControlClientOptions,
  path: P,
  asked: Control[P]['ask'],
): Promise<Control[P]['answer']> {
  const place = endpoint(options.address, options.port)
  try {
    const { status, body } = await exchange(options, path, JSON.stringify(asked))
    if (status === 200) return body as Control[P]['answer']
    throw new Error((body as { message?: string }).message ?? `it answered ${status}`)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const remedy = `; run "portcullis preflight backends" there, and open TCP port ${options.port} of it to this machine.`
    throw new Error(
      `The fake backend at ${place} cannot be asked: ${code === undefined ? message : `${code}${remedy}`}`,
      { cause: error },
    )
  }
}

function exchange(
  { address, port, token, timeoutMs }: ControlClientOptions,
  path: string,
  body: string,
): Promise<{ status: number | undefined; body: unknown }> {
  return new Promise((resolve, reject) => {
    const agent = new Agent({ rejectUnauthorized: false, maxCachedSessions: 0 })
    const call = request(
      { host: address, port, path, method: 'POST', agent, timeout: timeoutMs },
      (response) => {
        json(response)
          .then((body) => resolve({ status: response.statusCode, body }))
          .catch(reject)
      },
    )
    call.once('error', reject)
    call.once('timeout', () => call.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })))
    call.once('socket', (socket) => {
      // The proof is for the bearer of the certificate, which is not known before.
      socket.once('secureConnect', () => {
        const { fingerprint256 } = (socket as TLSSocket).getPeerCertificate()
        call.setHeader(proofHeader, proof(token, fingerprint256, path, body))
        call.end(body)
      })
    })
  })
}
