import { nearestName } from '@portcullis/kube'

/** What to say to somebody who names a controller that does not exist. */
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
  return `There is no IngressController "${name}" in the namespace ${namespace}.${hint} \`portcullis status\` lists all; -n looks in another namespace.`
}
