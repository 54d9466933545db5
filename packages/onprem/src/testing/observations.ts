import { namesOf } from '../dns/cluster-names.ts'
import { memberPorts, type ServiceName, serviceNames, services } from '../load-balancer/services.ts'
import type { Observations, Target } from '../preflight/observations.ts'
import { runChecks } from '../preflight/run-checks.ts'
import type { Attempt, AttemptResult } from '../probe/attempt.ts'

export const target: Target = {
  domain: 'edge.example.com',
  apiVips: ['192.0.2.10'],
  ingressVips: ['192.0.2.11'],
  nodesAskOutside: true,
  controlPlane: ['192.0.2.21', '192.0.2.22'],
  routers: ['192.0.2.31', '192.0.2.32'],
  bootstrap: undefined,
  frontPortOffset: 0,
  ports: memberPorts(0),
  vantage: 'node',
}

export const by = (backend: string, service: string): AttemptResult => ({
  kind: 'answered',
  status: 200,
  backend,
  service,
  ...(service !== 'http' && { certificate: { fingerprint: backend, subject: backend } }),
})

export const closed: AttemptResult = { kind: 'closed', during: 'TLS' }

export const attemptsOf = (service: ServiceName, outcomes: readonly AttemptResult[]): Attempt[] =>
  outcomes.map((outcome, i) => ({
    tried: `https://192.0.2.10:${services[service].port}/`,
    atMs: i * 100,
    outcome,
  }))

const membersOf = (service: ServiceName) =>
  services[service].use === 'api' ? target.controlPlane : target.routers

/** What is seen where all is right, but for the outcomes that are given for a service. */
export function seen(
  outcomes: Partial<Record<ServiceName, readonly AttemptResult[]>> = {},
  changes: Partial<Observations> = {},
): Observations {
  return {
    target,
    limits: { dropMs: { api: 30_000, 'machine-config': 30_000, router: 45_000 }, idleMs: 60_000 },
    behind: 'fake-backends',
    names: namesOf(target, () => 0),
    answers: [],
    members: [...target.controlPlane, ...target.routers].map((address) => ({
      address,
      saysWho: true,
      fingerprints: { api: address, 'machine-config': address, https: address },
      unseen: [],
      receivedProbes: [],
    })),
    frontEnds: serviceNames.map((service) => ({
      service,
      address: '192.0.2.10',
      port: services[service].port,
      attempts: attemptsOf(
        service,
        outcomes[service] ??
          membersOf(service).flatMap((member) => [by(member, service), by(member, service)]),
      ),
    })),
    byName: [],
    dials: [],
    idle: [],
    flips: [],
    cluster: undefined,
    ...changes,
  }
}

export const found = (observations: Observations) =>
  runChecks(observations).flatMap(({ check, findings }) => findings.map(({ id }) => `${id} in ${check}`))
