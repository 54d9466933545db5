import type { Cached, DeepReadonly } from '@portcullis/kube'
import type { Ingress, IngressClass } from 'kubernetes-types/networking/v1'

/** Who serves Ingresses of a class that names this is us. */
export const ingressControllerName = 'portcullis.dev/ingress'
/** Before there was a field for it. */
export const classAnnotation = 'kubernetes.io/ingress.class'
/** The controller that serves a class without parameters. */
export const defaultController = 'default'

export interface ClassRules {
  /** Serve Ingresses that name no class, too: as if they named this controller. */
  readonly withoutClass: boolean
  /** Classes that are ours by name, without an IngressClass of ours. */
  readonly classNames: readonly string[]
  /** Where our IngressControllers are: a class that leads elsewhere is another operator's. */
  readonly controllerNamespace: string
}

/** The class that an Ingress names; the annotation counts when the field is absent. */
export function classOf({ metadata, spec }: Pick<Cached<Ingress>, 'metadata' | 'spec'>): string | undefined {
  return spec?.ingressClassName ?? metadata.annotations?.[classAnnotation]
}

/** Whose an Ingress is. */
export type Belonging =
  /** Ours: of the controller of this name. */
  | { readonly to: string }
  | 'others'
  /** Of another Portcullis in this cluster, with IngressControllers elsewhere. */
  | 'otherInstance'
  /** It names a class that does not exist; it may come (back), or not. */
  | 'unknown'

/** @param findClass gives the IngressClass of a name, if there is one */
export function belongingOf(
  ingress: Pick<Cached<Ingress>, 'metadata' | 'spec'>,
  findClass: (name: string) => DeepReadonly<IngressClass> | undefined,
  { withoutClass, classNames, controllerNamespace }: ClassRules,
): Belonging {
  const name = classOf(ingress)
  if (name === undefined) return withoutClass ? { to: defaultController } : 'others'
  const found = findClass(name)
  const isNamed = classNames.includes(name)
  if (isNamed && found?.spec?.controller !== ingressControllerName) return { to: defaultController }
  return found === undefined ? 'unknown' : controllerServing(found, controllerNamespace)
}

/** Who serves the Ingresses of a class, as its object says. */
export function controllerServing(
  { spec }: DeepReadonly<IngressClass>,
  controllerNamespace: string,
): Exclude<Belonging, 'unknown'> {
  const { controller, parameters } = spec ?? {}
  if (controller !== ingressControllerName) return 'others'
  if (parameters === undefined) return { to: defaultController }
  const isOurKind = parameters.kind === 'IngressController' && parameters.apiGroup === 'operator.openshift.io'
  const isHere = (parameters.namespace ?? controllerNamespace) === controllerNamespace
  if (!isOurKind) return 'others'
  return isHere ? { to: parameters.name } : 'otherInstance'
}
