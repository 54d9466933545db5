import { randomBytes } from 'node:crypto'
import {
  type Clock,
  certificateAuthority,
  type Logger,
  type Random,
  Storage,
  servingCertificate,
} from '@portcullis/kube'
import { assembleApi, servedKinds } from './assemble-api.ts'
import { openApiRoute } from './openapi/openapi-route.ts'
import { ApiServer } from './server/api-server.ts'
import { type LogKeeper, logRoute } from './server/log-route.ts'
import { ServiceAccountTokens } from './server/service-account-tokens.ts'
import { serviceRoutes } from './server/service-routes.ts'
import { tokenRoute } from './server/token-route.ts'

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
  /** Compacts the history, as etcd does from time to time: older versions can no longer be watched from. */
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
  const now = () => clock.now()
  const { handler, resources, storage, cluster, bodies, fields, schemaOf } = assembleApi({
    kinds: servedKinds(),
    storage: new Storage(),
    clock,
    random,
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
