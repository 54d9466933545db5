import { crds } from '@portcullis/operator'
import type { CustomResourceDefinition } from '@portcullis/operator/internal/api/crd/definition.ts'
import { stringify } from 'yaml'

/** `deploy/crds/<group>_<plural>.yaml`, for each kind that Portcullis brings. */
export const crdFiles = crds.map((crd) => ({
  path: `deploy/crds/${crd.spec.group}_${crd.spec.names.plural}.yaml`,
  content: () => crdFile(crd),
}))

function crdFile(crd: CustomResourceDefinition): string {
  const yaml = stringify(crd, { lineWidth: 0, aliasDuplicateObjects: false })
  return `# Made from packages/operator/src/api by \`npm run generate\`; change it there.\n${yaml}`
}
