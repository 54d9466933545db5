import { expect } from 'vitest'
import { eventually } from '../clusters/eventually.ts'
import type { Router } from './router.ts'
import { stories } from './story.ts'

const { story } = stories()

const globalAccess = 'networking.gke.io/internal-load-balancer-allow-global-access'

const withAccess = (clientAccess: string | null) => ({
  scope: 'Internal',
  providerParameters: { type: 'GCP', gcp: { clientAccess } },
})

/** Waits until the Service says so; undefined: says nothing. */
function isSaid(router: Router, value: string | undefined) {
  return eventually(async () => expect((await router.annotations())[globalAccess]).toBe(value))
}

story(
  'Global access to an internal load balancer can be switched on, off, and left to the default',
  async (cluster) => {
    const router = await cluster.on('GCP').publish('edge', withAccess('Global'), { replicas: 1 })
    await isSaid(router, 'true')
    await router.isUp()
    await router.reports('AllFieldsSupported', { status: 'True' })
    const { uid } = (await router.service()).metadata

    await router.change(withAccess('Local'))
    await isSaid(router, 'false')
    await router.change(withAccess('Global'))
    await isSaid(router, 'true')
    await router.change({ providerParameters: { gcp: { clientAccess: null } } })
    await isSaid(router, undefined)
    expect((await router.service()).metadata.uid).toBe(uid)
    await router.reports('Available', { status: 'True' })
  },
)

story('A Service without the field has no annotation', async (cluster) => {
  const router = await cluster.on('GCP').publish('edge', { scope: 'Internal' })
  expect(await router.annotations()).not.toHaveProperty([globalAccess])
  const other = await cluster.publish('other', {
    scope: 'Internal',
    providerParameters: { type: 'GCP', gcp: {} },
  })
  expect(await other.annotations()).not.toHaveProperty([globalAccess])
})

/** The field, `gcp`, `providerParameters`, all of `loadBalancer`. */
const removals = [
  { providerParameters: { gcp: { clientAccess: null } } },
  { providerParameters: { gcp: null } },
  { providerParameters: null },
  null,
]

story('Removing the field, or any parent of it, removes the annotation and nothing else', async (cluster) => {
  const router = await cluster.on('GCP').publish('edge', { scope: 'Internal' })
  const before = await router.annotations()
  for (const change of removals) {
    await router.change(withAccess('Global'))
    await isSaid(router, 'true')
    await router.change(change)
    await isSaid(router, undefined)
    expect(await router.annotations()).toEqual(before)
    const { status } = await router.isAnswered()
    const wanted = status?.endpointPublishingStrategy?.loadBalancer
    expect(wanted?.scope).toBe('Internal')
    expect(wanted?.providerParameters?.gcp?.clientAccess).toBeUndefined()
  }
})

story('The annotation goes and comes with the scope Internal', async (cluster) => {
  const router = await cluster.on('GCP').publish('edge', withAccess('Global'))
  await router.change({ scope: 'External' })
  await isSaid(router, undefined)
  await eventually(async () => expect(await router.address()).not.toMatch(/^10\./))
  const message = /providerParameters\.gcp\.clientAccess \(only with scope Internal\)/
  await router.reports('AllFieldsSupported', { status: 'False', reason: 'FieldsIgnored', message })

  await router.change({ scope: 'Internal' })
  await isSaid(router, 'true')
  await router.reports('AllFieldsSupported', { status: 'True' })

  await router.change({ scope: 'External', providerParameters: null })
  await isSaid(router, undefined)
  await router.change({ scope: 'Internal' })
  await eventually(async () => expect(await router.address()).toMatch(/^10\./))
  expect(await router.annotations()).not.toHaveProperty([globalAccess])
})

story('An annotation that a user set on the Service is kept', async (cluster) => {
  const router = await cluster.on('GCP').publish('edge', { scope: 'Internal' })
  await router.editService({ metadata: { annotations: { [globalAccess]: 'true' } } })
  await router.everythingIsSeen()
  await cluster.stopOperator()
  await cluster.startOperator()
  await router.everythingIsSeen()
  await isSaid(router, 'true')
})

for (const platform of ['AWS', 'Azure'] as const) {
  story(`The field has no effect on ${platform}, and is reported as ignored`, async (cluster) => {
    const router = await cluster.on(platform).publish('edge', withAccess('Global'))
    expect(await router.annotations()).not.toHaveProperty([globalAccess])
    const path = 'spec.endpointPublishingStrategy.loadBalancer.providerParameters.gcp.clientAccess'
    const message = `${path} (only on GCP)`
    await router.reports('AllFieldsSupported', { status: 'False', reason: 'FieldsIgnored', message })
  })
}

story('The API refuses an unknown value of the field', async (cluster) => {
  const router = await cluster.on('GCP').publish('edge', { scope: 'Internal' })
  await expect(router.change(withAccess('Everywhere'))).rejects.toThrow(
    /clientAccess: Unsupported value: "Everywhere": supported values: "Global", "Local"/,
  )
})
