import { services } from '../../load-balancer/services.ts'
import { type CheckResult, checkResult, finding, skipped } from '../check-result.ts'
import type { Observations } from '../observations.ts'
import { addressesOf, isServed, poolOf, subjectOf, summary } from '../pool.ts'
import { portsMoved } from './reach.ts'

/** Checks of a running cluster. */
export function checkLiveCluster(observations: Observations): readonly CheckResult[] {
  if (observations.cluster === undefined) return []
  return [checkBootstrap(observations), checkLists(observations), checkPorts(observations)]
}

/** Every machine that answers for the API is a node. */
function checkBootstrap(observations: Observations): CheckResult {
  const check = 'bootstrap'
  const claim = 'the bootstrap machine is no longer a member'
  const pool = poolOf(observations, 'api')
  if (!isServed(pool)) return skipped(check, claim, 'no member was reached')
  if (pool.unidentified !== undefined && pool.spread.some(({ kind }) => kind === 'unidentified'))
    return skipped(check, claim, pool.unidentified)
  const nodes = observations.target.controlPlane
  const strangers = pool.frontEnds
    .flatMap(({ attempts }) => attempts)
    .filter((_, i) => pool.spread[i]?.kind === 'unknown')
  const [first] = strangers
  if (first === undefined) return checkResult(check, claim, [])
  const cameBack = `${strangers.length} of ${pool.spread.length} by a machine that is none of ${nodes.join(', ')}: ${summary(strangers)}`
  return checkResult(check, claim, [
    finding('bootstrap-in-pool', { subject: subjectOf(pool), tried: first.tried, cameBack }),
  ])
}

/** Every node of the control plane, and every node with a router, is a member. */
function checkLists(observations: Observations): CheckResult {
  const check = 'members'
  const claim = 'every node that serves is a member'
  const { cluster, target } = observations
  if (cluster === undefined) return skipped(check, claim, 'there is no cluster')
  const { listedControlPlane, listedRouters } = cluster
  const https = poolOf(observations, 'https')
  // A client that stays with one router sees one router.
  const canTell = addressesOf(https.spread).size > 1 && https.unidentified === undefined
  if (listedControlPlane.length + listedRouters.length === 0 && !canTell)
    return skipped(
      check,
      claim,
      https.unidentified ??
        'members cannot be told apart, or a client stays with one of them; give with --control-plane and --workers what your load balancer lists',
    )
  const unlisted = [
    ...cluster.controlPlane
      .filter(({ address }) => listedControlPlane.length > 0 && !listedControlPlane.includes(address))
      .map((each) => ({
        ...each,
        what: 'of the control plane',
        subject: subjectOf(poolOf(observations, 'api')),
      })),
    ...cluster.routers
      .filter(({ address }) =>
        listedRouters.length > 0 ? !listedRouters.includes(address) : canTell && !https.reached.has(address),
      )
      .map((each) => ({ ...each, what: 'with a router', subject: subjectOf(https) })),
  ]
  const findings = unlisted.map(({ node, address, what, subject }) =>
    finding('node-not-listed', {
      subject,
      tried: `node ${node} (${address}) ${what}, looked for among the members`,
      cameBack:
        listedRouters.length > 0 ? 'it is not listed' : `only ${[...https.reached].join(', ')} answered`,
      remedy: `Add ${address}:${what === 'with a router' ? `${target.ports.https} and :${target.ports.http}` : target.ports.api}; list every node that may run a router.`,
    }),
  )
  return checkResult(check, claim, findings)
}

/** Routers listen on other ports than usual, and the load balancer does not know. */
function checkPorts(observations: Observations): CheckResult {
  const check = 'ports'
  const claim = 'the load balancer uses the ports that routers listen on'
  const { target, cluster } = observations
  const pool = poolOf(observations, 'https')
  const { http, https, router } = target.ports
  const ports = `${services.https.port} → ${https}, ${services.http.port} → ${http}, health check on ${router} /healthz/ready`
  if (isServed(pool) || !portsMoved(observations)) return checkResult(check, claim, [], ports)
  const healthy = (cluster?.routerHealth ?? []).filter(
    ({ outcome }) => outcome.kind === 'answered' && outcome.status === 200,
  )
  if (healthy.length === 0)
    return skipped(check, claim, `no router answers on its own port ${router}, either`)
  const attempts = pool.frontEnds.flatMap((each) => each.attempts)
  const cameBack = `${summary(attempts)}; but ${healthy[0]?.tried} answers 200`
  const seen = { subject: subjectOf(pool), tried: attempts[0]?.tried ?? '', cameBack }
  return checkResult(check, claim, [
    finding('router-ports-moved', {
      ...seen,
      remedy: `Set members and health check to these ports: ${ports}.`,
    }),
  ])
}
