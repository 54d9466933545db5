import { randomBytes } from 'node:crypto'
import type { Random } from '../kube/backoff.ts'
import type { Clock } from '../kube/clock.ts'
import type { Logger } from '../kube/log.ts'
import { certificateAuthority, servingCertificate } from './certificates.ts'
import { definitionResource } from './crd/definition-resource.ts'
import { serveDefinitions } from './crd/definitions.ts'
import { builtInResources } from './kinds/built-in.ts'
import { openApiRoute } from './openapi/openapi-route.ts'
import type { ClusterView } from './resource.ts'
import { loadKubernetesSchemas } from './schema/kubernetes.ts'
import { ApiServer } from './server/api-server.ts'
import { BodyReader } from './server/body-reader.ts'
import { bootstrap } from './server/bootstrap.ts'
import { FieldManagement } from './server/field-management.ts'
import { type LogKeeper, logRoute } from './server/log-route.ts'
import { PatchReader } from './server/patch-reader.ts'
import { collectionOf, keyOf } from './server/places.ts'
import { Registry } from './server/registry.ts'
import { ResourceHandler } from './server/resource-handler.ts'
import { ResourceTable } from './server/resource-table.ts'
import { reviewResources } from './server/review-resources.ts'
import { ServiceAccountTokens } from './server/service-account-tokens.ts'
import { serviceRoutes } from './server/service-routes.ts'
import { tokenRoute } from './server/token-route.ts'
import { newUid } from './server/uid.ts'
import { Storage } from './storage/storage.ts'

export interface SandboxApiOptions {
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** 0 lets the system choose. */
  readonly port?: number
  /** For `kubectl logs`; without it containers have said nothing. */
  readonly logs?: LogKeeper
}

/** An API server that runs in this process. */
export interface SandboxApi {
  /** `https://127.0.0.1:PORT` */
  readonly server: string
  /** PEM of the authority that signed its certificate. */
  readonly ca: string
  readonly adminToken: string
  /** Forgets history, as etcd does from time to time: older versions can no longer be watched from. */
  compact(): void
  close(): Promise<void>
}

export async function startSandboxApi({
  clock,
  random,
  log,
  port = 0,
  logs,
}: SandboxApiOptions): Promise<SandboxApi> {
  const schemas = loadKubernetesSchemas()
  const schemaOf = (group: string, version: string, kind: string) =>
    schemas.lookup({ group, version, kind }) ?? {}
  const definitions = definitionResource(schemaOf('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition'))
  const resources = new ResourceTable([
    ...builtInResources(schemaOf),
    ...reviewResources(schemaOf),
    definitions,
  ])
  const storage = new Storage()
  const now = () => clock.now()
  const cluster: ClusterView = {
    now,
    random,
    get: (resource, { namespace, name }) => storage.get(collectionOf(resource), keyOf(namespace, name)),
    list: (resource, namespace) =>
      storage
        .list(collectionOf(resource), namespace === undefined ? '' : `${namespace}/`)
        .map(([, object]) => object),
  }
  const registry = new Registry({ storage, cluster, newUid: () => newUid(random) })
  const fields = new FieldManagement(now)
  serveDefinitions({ storage, resources, definitions, fields, now })
  bootstrap(registry, resources)
  const bodies = new BodyReader(schemas)
  const handler = new ResourceHandler({
    storage,
    registry,
    clock,
    bodies,
    patches: new PatchReader(schemas),
    fields,
  })
  const adminToken = randomBytes(24).toString('base64url')
  const admin = { username: 'admin', uid: 'admin', groups: ['system:masters', 'system:authenticated'] }
  const tokens = new ServiceAccountTokens({
    find: (account) => cluster.get({ group: '', plural: 'serviceaccounts' }, account),
    now,
  })
  const tokenRequest = schemaOf('authentication.k8s.io', 'v1', 'TokenRequest')
  const authority = await certificateAuthority('portcullis-sandbox')
  const server = new ApiServer({
    resources,
    handler,
    routes: [
      serviceRoutes,
      openApiRoute(resources, now),
      logRoute(storage, logs ?? { logsOf: () => undefined }),
      tokenRoute({ cluster, bodies, fields, tokens, schema: tokenRequest }),
    ],
    users: { get: (token) => (token === adminToken ? admin : tokens.get(token)) },
    certificate: await servingCertificate(authority),
    clock,
    log,
  })
  const listening = await server.listen(port)
  return {
    server: `https://127.0.0.1:${listening}`,
    ca: authority.certificate,
    adminToken,
    compact: () => storage.compact(),
    close: () => server.close(),
  }
}
