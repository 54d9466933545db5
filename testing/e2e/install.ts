import { type Client, kind } from '@portcullis/kube'
import { crds } from '@portcullis/operator'
import { eventually } from '../clusters/eventually.ts'

const CustomResourceDefinition = kind('apiextensions.k8s.io/v1', 'CustomResourceDefinition')

/** Our kinds, as they are now, over any that were installed before. */
export async function install(client: Client): Promise<void> {
  for (const crd of crds) {
    const options = { fieldManager: 'portcullis' }
    const ref = { name: crd.metadata.name }
    await client.patch(CustomResourceDefinition, ref, { type: 'apply', body: crd, force: true }, options)
    const { group, names, versions } = crd.spec
    const served = kind(`${group}/${versions[0]?.name}`, names.kind)
    await eventually(() => client.list(served))
  }
}
