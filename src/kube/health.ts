import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Metrics } from './metrics.ts'

/** Something that must be well for this process to be ready. */
export interface HealthCheck {
  readonly name: string
  /** In words, what is wrong; nothing if all is well. */
  problem(): string | undefined
}

/**
 * `/healthz` (the process answers), `/readyz` (and does its work; each check in a line) and `/metrics`.
 * Whether the API server is away is a matter of readiness: restarting this process would not bring it back.
 */
export class HealthServer {
  readonly #checks: readonly HealthCheck[]
  readonly #metrics: Metrics
  readonly #server: Server

  constructor({ checks, metrics }: { checks: readonly HealthCheck[]; metrics: Metrics }) {
    this.#checks = checks
    this.#metrics = metrics
    this.#server = createServer((request, response) => {
      this.#answer(request.url ?? '/', response).catch((error: unknown) => send(response, 500, String(error)))
    })
  }

  /** Listens; returns the port, which the system chooses when it is 0. */
  listen({ host, port }: { host: string; port: number }): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', (error) =>
        reject(
          new Error(`Cannot serve health and metrics at ${host}:${port}: ${error.message}`, { cause: error }),
        ),
      )
      this.#server.listen(port, host, () => {
        const address = this.#server.address()
        resolve(typeof address === 'object' && address !== null ? address.port : port)
      })
    })
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
  }

  async #answer(url: string, response: ServerResponse): Promise<void> {
    const path = url.split('?')[0]
    if (path === '/healthz') send(response, 200, 'ok\n')
    else if (path === '/readyz') this.#answerReady(response)
    else if (path === '/metrics') {
      const { registry } = this.#metrics
      send(response, 200, await registry.metrics(), registry.contentType)
    } else send(response, 404, 'There are /healthz, /readyz and /metrics.\n')
  }

  #answerReady(response: ServerResponse): void {
    const results = this.#checks.map((check) => ({ name: check.name, problem: check.problem() }))
    const lines = results.map(({ name, problem }) =>
      problem === undefined ? `[+] ${name}` : `[-] ${name}: ${problem}`,
    )
    const ready = results.every(({ problem }) => problem === undefined)
    send(response, ready ? 200 : 503, `${[...lines, ready ? 'ready' : 'not ready'].join('\n')}\n`)
  }
}

function send(
  response: ServerResponse,
  status: number,
  body: string,
  contentType = 'text/plain; charset=utf-8',
): void {
  response.writeHead(status, { 'content-type': contentType }).end(body)
}
