import { homedir } from 'node:os'
import {
  Client,
  createMetrics,
  Ingress,
  loadClusterAccess,
  silentLogger,
  systemClock,
} from '@portcullis/kube'

export const namespace = 'default'
export const nameOf = (at: number) => `web-${at}`

/** A status that differs from the one before, so that every PATCH is a real write. */
export function statusOf(at: number, round: number) {
  return {
    status: { loadBalancer: { ingress: [{ ip: `10.${round % 256}.${(at >> 8) % 256}.${at % 256}` }] } },
  }
}

/** Our client, as an operator would have it. */
export async function connect(kubeconfig: string, maxInFlight?: number): Promise<Client> {
  const access = await loadClusterAccess({
    kubeconfig,
    environment: { env: {}, homeDirectory: homedir(), isTerminal: false },
    clock: systemClock,
    log: silentLogger,
  })
  const metrics = createMetrics('portcullis')
  return Client.connect({
    access,
    clock: systemClock,
    random: Math.random,
    metrics,
    userAgent: 'portcullis/bench',
    ...(maxInFlight !== undefined && { maxInFlight }),
  })
}

/** Runs a task for each number below `count`, so many at a time. */
export async function inParallel(
  count: number,
  concurrency: number,
  task: (at: number) => Promise<unknown>,
): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) await task(next++)
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
}

/** @param from how many there are already */
export async function createIngresses(client: Client, count: number, from = 0): Promise<void> {
  await inParallel(count - from, 16, (number) => createIngress(client, from + number))
}

function createIngress(client: Client, at: number): Promise<unknown> {
  return client.create(Ingress, {
    metadata: {
      namespace,
      name: nameOf(at),
      labels: { app: nameOf(at), team: `team-${at % 20}` },
      annotations: {
        'example.com/owner': `team-${at % 20}@example.com`,
        'example.com/notes': 'x'.repeat(200),
      },
    },
    spec: {
      ingressClassName: 'portcullis',
      tls: [{ hosts: [`${nameOf(at)}.example.com`], secretName: `tls-${at}` }],
      rules: [
        {
          host: `${nameOf(at)}.example.com`,
          http: {
            paths: [
              {
                path: '/',
                pathType: 'Prefix',
                backend: { service: { name: nameOf(at), port: { number: 80 } } },
              },
              {
                path: '/api',
                pathType: 'Prefix',
                backend: { service: { name: 'api', port: { number: 8080 } } },
              },
            ],
          },
        },
      ],
    },
  })
}
