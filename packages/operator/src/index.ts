// The operator: what other packages may use. Start with `operator.ts`.

export { type ClassRules } from './addresses/ingress-class.ts'
export { type AddressSettings, addressSettingsOf } from './addresses/settings.ts'
export { mebibytesIn } from './api/amounts.ts'
export { crds } from './api/crds.ts'
export { millisecondsIn } from './api/duration.ts'
export {
  type EndpointPublishingStrategy,
  type Scope,
  strategyTypes,
} from './api/endpoint-publishing-strategy.ts'
export { type Explanation } from './api/explanation.ts'
export {
  type Infrastructure as InfrastructureObject,
  type InfrastructureStatus,
  infrastructure,
} from './api/infrastructure.ts'
export { type IngressController as IngressControllerObject } from './api/ingress-controller.ts'
export { type OperatorConfiguration, operatorConfiguration } from './api/operator-configuration.ts'
export { findCommandLine } from './ingress/command-line.ts'
export { quoted } from './ingress/commands.ts'
export { waitsForUser } from './ingress/conditions/load-balancer.ts'
export { type Condition } from './ingress/conditions/summary-conditions.ts'
export { hasCustomersLoadBalancer } from './ingress/customers-load-balancer.ts'
export { Infrastructure, IngressController } from './ingress/kinds.ts'
export { ownerOf, routerName } from './ingress/names.ts'
export { type Overview, overview, type ReportedCondition } from './ingress/overview.ts'
export { platformNamed, platforms } from './ingress/platforms/platforms.ts'
export { publishedAddress } from './ingress/published-address.ts'
export { defaultSettings, type Settings } from './ingress/settings.ts'
export { ourLoadBalancer, wantedStrategy } from './ingress/strategies/wanted-strategy.ts'
export { manifests, outlivesTheOperator } from './manifests/manifests.ts'
export {
  healthPort,
  type Manifest,
  type ManifestOptions,
  usualApiServerPorts,
  usualMetricsNamespaces,
} from './manifests/options.ts'
export { routerServiceAccount } from './manifests/router-access.ts'
export { assembleOperator, operatorReasons } from './operator.ts'
export { type FieldChange } from './plan/field-changes.ts'
export { applied, type ControllerManifest } from './plan/kubectl-apply.ts'
export { type ListedObjects, listObjects } from './plan/listed-objects.ts'
export { type ObjectChange } from './plan/object-changes.ts'
export { type ControllerPlan, type Plan, plan } from './plan/plan.ts'
export { settingsInUse } from './plan/settings-in-use.ts'
export { type WantedController } from './plan/simulation.ts'
export { snapshotFrom } from './plan/snapshot-from.ts'
export { type AskedChange, patchFor } from './plan/spec-patch.ts'
