import { startControlPlane } from '../clusters/control-plane.ts'
import { realServer, sandboxServer, type TestedServer } from './api-server.ts'
import { eventually } from './api-verbs.ts'
import type { BothServers } from './comparison.ts'
import { gadgetDefinition } from './gadget.ts'

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const admission = '/apis/admissionregistration.k8s.io/v1'

/**
 * The real server complains in Events when one of its caches is behind another: that its own users may not write any
 * keeps chance out of the namespaces that are compared.
 */
const noEventsOfItsOwn = {
  metadata: { name: 'no-events-of-the-server' },
  spec: {
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: ['', 'events.k8s.io'],
          apiVersions: ['*'],
          operations: ['CREATE'],
          resources: ['events'],
        },
      ],
    },
    validations: [{ expression: "request.userInfo.username != 'system:apiserver'" }],
  },
}
const always = {
  metadata: { name: noEventsOfItsOwn.metadata.name },
  spec: { policyName: noEventsOfItsOwn.metadata.name, validationActions: ['Deny'] },
}

/** The sandbox, and a real API server on which nobody else writes. Both serve Gadgets. */
export async function startBothServers(): Promise<BothServers & { close(): Promise<void> }> {
  const plane = await startControlPlane({ parts: 'etcd+apiserver' })
  const servers = { real: realServer(plane), sandbox: await sandboxServer() }
  await Promise.all([silenceItself(servers.real), ...Object.values(servers).map(serveGadgets)])
  return {
    ...servers,
    async close() {
      await servers.real.close()
      await servers.sandbox.close()
      await plane.stop()
    },
  }
}

async function silenceItself(real: TestedServer): Promise<void> {
  await real.ask({ method: 'POST', path: `${admission}/validatingadmissionpolicies`, body: noEventsOfItsOwn })
  await real.ask({ method: 'POST', path: `${admission}/validatingadmissionpolicybindings`, body: always })
  const involvedObject = { namespace: 'default' }
  const attempt = {
    method: 'POST',
    path: '/api/v1/namespaces/default/events?dryRun=All',
    headers: { 'impersonate-user': 'system:apiserver', 'impersonate-group': 'system:masters' },
    body: { metadata: { name: 'attempt' }, involvedObject },
  }
  await eventually(async () => (await real.ask(attempt)).code === 422)
}

async function serveGadgets(server: TestedServer): Promise<void> {
  await server.ask({ method: 'POST', path: definitions, body: gadgetDefinition })
  const path = `/apis/${gadgetDefinition.spec.group}/v1/gadgets`
  await eventually(async () => (await server.ask({ method: 'GET', path })).code === 200)
}
