import { nearestName } from '@portcullis/kube'

/** The error about an IngressController that does not exist. */
export function noSuchController(
  name: string,
  namespace: string,
  controllers: readonly { readonly metadata: { readonly name: string } }[],
): string {
  const nearest = nearestName(
    name,
    controllers.map(({ metadata }) => metadata.name),
  )
  const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`
  return `IngressController "${name}" not found in namespace ${namespace}.${hint} Run \`portcullis status\` to list all; use -n for another namespace.`
}
