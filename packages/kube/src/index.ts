// Kubernetes for Node: what other packages may use. Start with `runOperator` and `Client`.

export { type KubeApi, type Patch, type Selection } from './api.ts'
export { type Random } from './backoff.ts'
export { Cache, type Cached, type CacheReader, type IndexFunction } from './cache.ts'
export { certificateAuthority, servingCertificate } from './certificates.ts'
export { Client } from './client.ts'
export { type Clock, sleep, systemClock } from './clock.ts'
export { findCondition, isTrue, removeCondition, setCondition } from './conditions.ts'
export { type ClusterAccess } from './config/access.ts'
export { environmentOf } from './config/environment.ts'
export { loadClusterAccess } from './config/load-access.ts'
export { nearestName } from './config/nearest-name.ts'
export { afterWrite, type Contest, isContested, isForgotten, lastsUntil } from './contest.ts'
export { Controller, type Next, type RequeueAfter, requeueAfter, requeueWithBackoff } from './controller.ts'
export { KindNotServedError } from './discovery.ts'
export {
  ApiError,
  ConnectionError,
  isAlreadyExists,
  isConflict,
  isNotFound,
  WriteRefusedError,
} from './errors.ts'
export { hasControlChars, printable } from './escape-control-chars.ts'
export { EventRecorder, type Occurrence } from './events/recorder.ts'
export { shown, until } from './expectations.ts'
export { addFinalizer, hasFinalizer, isBeingDeleted, removeFinalizer } from './finalizers.ts'
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
  namespaceOf,
  type ObjectRef,
  type Persisted,
  refOf,
} from './objects.ts'
export { ownedMergePatch, REMOVE_IF_OWNED, type Wanted } from './owned-merge-patch.ts'
export { controllerOf, isOwnedBy, ownerReference } from './owner-references.ts'
export { parseTime } from './parse-time.ts'
export { runOperator } from './run-operator.ts'
export { type ReconcileContext, type Reconciler, Runtime, type WatchedKind } from './runtime.ts'
export { mostForeignBytes, sanitizeUntrusted } from './sanitize-untrusted.ts'
export { type SignalSource, stopOnSignals } from './signals.ts'
export { withSortedKeys } from './sorted-keys.ts'
export { type Change, enqueueOnStart, from, type KeySource } from './source.ts'
export { cutToBytes } from './utf8.ts'
export { Watch } from './watch.ts'
