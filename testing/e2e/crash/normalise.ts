import { isVolatile } from '../../clusters/volatile-fields.ts'
import type { IsolatedController } from './isolated-controller.ts'

/** Conditions that follow the routers, which need half a minute to be available. */
const ofRouters = /^(Deployment|Pods|Available|Progressing|Degraded)/

/** The state of everything, so that two runs of one story can be compared. */
export function normalise(
  everything: object,
  { settings, name }: Pick<IsolatedController, 'settings' | 'name'>,
): object {
  const text = JSON.stringify(everything, (field, value: unknown) => {
    if (isVolatile(field, value)) return undefined
    if (field === 'managedFields') return ours(value as Entry[])
    if (field === 'conditions')
      return (value as { type: string }[]).filter(({ type }) => !ofRouters.test(type))
    if (field === 'availableReplicas') return undefined
    return value
  })
  return withoutStatusOfDeployment(
    JSON.parse(
      text
        .replaceAll(settings.operatorNamespace, 'OPERATOR')
        .replaceAll(settings.operandNamespace, 'ROUTERS')
        .replaceAll(settings.defaultDomain ?? '', 'DOMAIN')
        .replaceAll(new RegExp(`\\b${name}\\b`, 'g'), 'NAME')
        .replace(/"[\da-f]{8}"/g, '"HASH"') // Of a template in which the names above occur.
        .replace(/(internal-)?[\w-]+\.us-east-1\.elb\.amazonaws\.com/g, '$1HOST')
        .replace(/"(203\.0\.113|198\.51\.100)\.\d+"/g, '"PUBLIC"')
        .replace(/"10\.\d+\.\d+\.\d+"/g, '"PRIVATE"'),
    ) as { deployment?: { status?: object } },
  )
}

interface Entry {
  readonly manager?: string
  readonly subresource?: string
}

function ours(entries: readonly Entry[]): readonly Entry[] {
  return entries.filter(({ manager, subresource }) => manager === 'portcullis' && subresource === undefined)
}

function withoutStatusOfDeployment({ deployment, ...rest }: { deployment?: { status?: object } }): object {
  const { status: _, ...kept } = deployment ?? {}
  return { ...rest, deployment: kept }
}
