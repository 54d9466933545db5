import { crds } from '@portcullis/operator'
import { type ApiVerbs, eventually, expecting } from '../api-verbs.ts'

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** Installs our kinds as they are now, over any that were installed before, and waits until they are served. */
export async function installCrds(kube: ApiVerbs): Promise<void> {
  for (const crd of crds) {
    const path = `${definitions}/${crd.metadata.name}`
    const applied = await kube.apply(path, crd, { manager: 'portcullis', force: true })
    if (applied.code !== 201) await expecting(200, Promise.resolve(applied))
    const { group, names, versions } = crd.spec
    await eventually(
      async () => (await kube.get(`/apis/${group}/${versions[0]?.name}/${names.plural}`)).code === 200,
    )
  }
}
