// Kubernetes for Node: what other packages may use. Start with `runOperator` and `Client`.

export { type ClusterAccess } from './access/access.ts'
export { environmentOf } from './access/environment.ts'
export { loadClusterAccess } from './access/load-access.ts'
export { nearestName } from './access/nearest-name.ts'
export { type Random } from './backoff.ts'
export { certificateAuthority, servingCertificate } from './certificates.ts'
export { Client } from './client.ts'
export { type Clock, sleep, systemClock } from './clock.ts'
export { findCondition, isTrue, removeCondition, setCondition } from './conditions.ts'
export { afterWrite, type Contest, isContested, isForgotten, lastsUntil } from './contest.ts'
export { Controller, type LookAgain, lookAgainIn, type Next, tryAgain } from './controller.ts'
export { KindNotServedError } from './discovery.ts'
export {
  ApiError,
  ConnectionError,
  isAlreadyExists,
  isConflict,
  isNotFound,
  WriteRefusedError,
} from './errors.ts'
export { EventRecorder, type Occurrence } from './events/recorder.ts'
export { addFinalizer, hasFinalizer, isBeingDeleted, removeFinalizer } from './finalizers.ts'
export { foreignWords, mostForeignBytes } from './foreign-words.ts'
export {
  ConfigMap,
  CoreEvent,
  Deployment,
  EndpointSlice,
  Endpoints,
  Event,
  Ingress,
  IngressClass,
  Namespace,
  Node,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  Service,
  ServiceAccount,
} from './kinds.ts'
export { compileSelector, type Labels, selectorText } from './label-selector.ts'
export { type Logger, silentLogger } from './log.ts'
export { fieldsOwnedBy, lastChangeOf, lastWriteBy, OwnedFields, othersWhoSet } from './managed-fields.ts'
export { forManyListeners } from './many-listeners.ts'
export { applyMergePatch, isObject, isSameJson, type MergePatch, mergePatchBetween } from './merge-patch.ts'
export { createMetrics, type Metrics } from './metrics.ts'
export { microTime } from './micro-time.ts'
export { isLabelKey, isLabelValue, isSubdomain } from './names-and-labels.ts'
export {
  type DeepReadonly,
  type Key,
  type Kind,
  type KubeObject,
  keyOf,
  keyOfObject,
  kind,
  type Live,
  namespaceOf,
  type ObjectRef,
  refOf,
} from './objects.ts'
export { shown, until } from './own-writes.ts'
export { controllerOf, isOwnedBy, ownerReference } from './owner-references.ts'
export { parseTime } from './parse-time.ts'
export { absentIfOurs, patchTowards, type Wanted } from './patch-towards.ts'
export { givesOrders, printable } from './printable.ts'
export { runOperator } from './run-operator.ts'
export { type ReconcileContext, type Reconciler, Runtime, type WatchedKind } from './runtime.ts'
export { type SignalSource, stopOnSignals } from './signals.ts'
export { withSortedKeys } from './sorted-keys.ts'
export { atTheStart, type Change, from, type KeySource } from './source.ts'
export { type IndexFunction, Store, type Stored, type StoreReader } from './store.ts'
export { cutToBytes } from './utf8.ts'
export { type Patch, type Selection, type Verbs } from './verbs.ts'
export { Watch } from './watch.ts'
