import { startControlPlane } from '../clusters/control-plane.ts'
import { type Bed, realBed, sandboxBed } from './api-server.ts'
import { eventually } from './api-verbs.ts'
import type { TwoBeds } from './comparison.ts'
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

/** The sandbox, and a real API server on which nobody writes but who asks both. Both serve Gadgets. */
export async function startTwoBeds(): Promise<TwoBeds & { close(): Promise<void> }> {
  const plane = await startControlPlane({ parts: 'etcd+apiserver' })
  const beds = { real: realBed(plane), sandbox: await sandboxBed() }
  await Promise.all([silenceItself(beds.real), ...Object.values(beds).map(serveGadgets)])
  return {
    ...beds,
    async close() {
      await beds.real.close()
      await beds.sandbox.close()
      await plane.stop()
    },
  }
}

async function silenceItself(real: Bed): Promise<void> {
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

async function serveGadgets(bed: Bed): Promise<void> {
  await bed.ask({ method: 'POST', path: definitions, body: gadgetDefinition })
  const path = `/apis/${gadgetDefinition.spec.group}/v1/gadgets`
  await eventually(async () => (await bed.ask({ method: 'GET', path })).code === 200)
}
