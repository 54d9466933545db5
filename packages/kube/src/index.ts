// Kubernetes for Node: what other packages may use. Start with `runOperator` and `Client`.

export { unlimitedListeners } from './abort.ts'
export { type Random } from './backoff.ts'
export { certificateAuthority, servingCertificate } from './certificates.ts'
export { type KubeApi, type Patch, type Selection } from './client/api.ts'
export { Client } from './client/client.ts'
export { KindNotServedError } from './client/discovery.ts'
export {
  ApiError,
  ConnectionError,
  isAlreadyExists,
  isConflict,
  isNotFound,
  WriteRefusedError,
} from './client/errors.ts'
export { type Clock, sleep, systemClock } from './clock.ts'
export { type ClusterAccess } from './config/access.ts'
export { type Environment, environmentOf } from './config/environment.ts'
export { loadClusterAccess } from './config/load-access.ts'
export { nearestName } from './config/nearest-name.ts'
export {
  Controller,
  type ReconcileResult,
  type RequeueAfter,
  requeueAfter,
  requeueWithBackoff,
} from './controller/controller.ts'
export {
  type Change,
  enqueueFrom,
  enqueueOnStart,
  handleChanges,
  type KeySource,
} from './controller/source.ts'
export { type EventRecord, EventRecorder, type Regarding } from './events/recorder.ts'
export { Cache, type Cached, type CacheReader, type IndexFunction } from './informer/cache.ts'
export { waitForCache, waitForObject } from './informer/expectations.ts'
export { Watch } from './informer/watch.ts'
export {
  type CachesOf,
  openCaches,
  type WatchedKind,
  watchedKind,
} from './informer/watched-kind.ts'
export { type Logger, silentLogger } from './log.ts'
export { Manager, type ReconcileContext, type Reconciler } from './manager/manager.ts'
export { type OperatorOptions, runOperator } from './manager/run-operator.ts'
export { stopOnSignals } from './manager/signals.ts'
export { createMetrics, type Metrics } from './metrics.ts'
export { findCondition, isTrue, removeCondition, setCondition } from './objects/conditions.ts'
export { addFinalizer, hasFinalizer, isBeingDeleted, removeFinalizer } from './objects/finalizers.ts'
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
} from './objects/kinds.ts'
export { compileSelector, type Labels, selectorText } from './objects/label-selector.ts'
export {
  fieldsOwnedBy,
  lastChangeOf,
  lastWriteBy,
  OwnedFields,
  otherManagersOf,
} from './objects/managed-fields.ts'
export {
  applyMergePatch,
  isObject,
  isSameJson,
  type MergePatch,
  mergePatchBetween,
} from './objects/merge-patch.ts'
export { isLabelKey, isLabelValue, isSubdomain } from './objects/names-and-labels.ts'
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
} from './objects/objects.ts'
export { ownedMergePatch, REMOVE_IF_OWNED, type Wanted } from './objects/owned-merge-patch.ts'
export { controllerOf, isOwnedBy, ownerReference } from './objects/owner-references.ts'
export { withSortedKeys } from './objects/sorted-keys.ts'
export { microTime, parseTime, timestamp } from './objects/time.ts'
export {
  countWrite,
  hasExpired,
  isContested,
  type WriteConflict,
  windowEnd,
} from './objects/write-conflict.ts'
export { SimulatedApiServer } from './simulated/api-server.ts'
export { CompactedError, type Entry, Storage, type StoredObject } from './simulated/storage.ts'
export { asReceived } from './simulated/writes.ts'
export { cutToBytes } from './text/cut-to-bytes.ts'
export { hasControlChars, printable } from './text/escape-control-chars.ts'
export { maxUntrustedBytes, sanitizeUntrusted } from './text/sanitize-untrusted.ts'
