// Load balancers that the customer owns: what other packages may use.

export { clusterDomain } from './cluster-domain.ts'
export { ask, parseResolver } from './dns/ask.ts'
export { defaultControlPort } from './fake-backends/control.ts'
export { FakeBackend } from './fake-backends/fake-backend.ts'
export { checkInstallConfig } from './install-config/check.ts'
export { checkOnline } from './install-config/check-online.ts'
export { byPosition, type Finding } from './install-config/finding.ts'
export { infrastructureFrom } from './install-config/infrastructure.ts'
export { type PlannedCluster, plannedCluster } from './install-config/planned-cluster.ts'
export { formatIp, type Ip, parseIp } from './ip.ts'
export { balancerFor, defaultTiming } from './load-balancer/balancer.ts'
export { toHaproxy } from './load-balancer/haproxy.ts'
export { toNginx } from './load-balancer/nginx.ts'
export { healthChecks, type MemberPorts, memberPorts, movedPort } from './load-balancer/services.ts'
export { type Network, parseNetwork } from './network.ts'
export { type Chosen, chooseNodeIps, type Machine } from './node-ip/choose.ts'
export { readAddresses, readDefaultRoutes } from './node-ip/iproute.ts'
export {
  type CheckResult,
  checkResult,
  finding,
  type PreflightFinding,
  skipped,
} from './preflight/check-result.ts'
export { type LiveCluster, readLiveCluster } from './preflight/live-cluster.ts'
export { type Limits, type Target, type Vantage } from './preflight/observations.ts'
export { connectTo, type ProbeContext } from './preflight/observe/probe-context.ts'
export { observe, type Subject } from './preflight/observe.ts'
export { type FindingId, remedies } from './preflight/remedies.ts'
export { runChecks } from './preflight/run-checks.ts'
export { type KnownNodes, knownNodes } from './render/known-nodes.ts'
export { machineConfig } from './render/machine-config.ts'
export { type NamedNode, type Node, type Role, roles, usualPorts } from './render/node.ts'
export { allPaths, type NodeFile, renderNode } from './render/render.ts'
export { readVirtualIps } from './virtual-ips.ts'
