import { type Finding, finding } from '../finding.ts'
import type { InstallConfig } from '../install-config.ts'
import type { Value } from '../value.ts'

/** Text where a list belongs, a list where text belongs: the installer stops at these with an error of its parser. */
export function* checkFieldTypes({ root, platform }: InstallConfig): Iterable<Finding> {
  for (const name of ['platform', 'networking', 'proxy', 'metadata']) yield* mustBe('map', root.field(name))
  for (const name of ['featureSet', 'baseDomain']) yield* mustBe('text', root.field(name))
  yield* mustBe('text', root.field('metadata')?.field('name'))
  yield* mustBe('text', root.field('proxy')?.field('noProxy'))

  const networking = root.field('networking')
  for (const name of ['machineNetwork', 'clusterNetwork'])
    yield* mustBeList(networking?.field(name), 'map', (text) => `cidr: ${text}`)
  yield* mustBeList(networking?.field('serviceNetwork'), 'text')

  if (platform === undefined) return
  const { value, fields } = platform
  yield* mustBe('map', value)
  yield* mustBe('map', value.field('loadBalancer'))
  yield* mustBe('text', value.field('loadBalancer')?.field('type'))
  for (const { list, single } of [fields.api, fields.ingress]) {
    yield* mustBeList(value.field(list), 'text')
    yield* mustBe('text', value.field(single))
  }
}

function* mustBe(kind: 'map' | 'text', value: Value | undefined): Iterable<Finding> {
  if (value === undefined || value.kind === kind) return
  const remedy =
    kind === 'text' ? 'write a single value after the colon' : 'write its fields indented below it'
  yield finding('field-type', value, `${nameOf(value)} is a ${value.kind}, but must be a ${kind}; ${remedy}.`)
}

function* mustBeList(
  value: Value | undefined,
  kind: 'map' | 'text',
  itemOf: (text: string) => string = (text) => text,
): Iterable<Finding> {
  if (value === undefined) return
  if (value.kind !== 'list') {
    const remedy =
      value.kind === 'text' ? `write it as "- ${itemOf(value.text)}"` : 'write its items after dashes'
    yield finding('field-type', value, `${nameOf(value)} is a ${value.kind}, but must be a list; ${remedy}.`)
  }
  for (const item of value.items) {
    if (item.kind === kind) continue
    const shape = itemOf(item.text || item.field('cidr')?.text || '…')
    yield finding(
      'field-type',
      item,
      `${nameOf(item)} is ${describe(item.kind)}, but must be ${describe(kind)}; write it as "- ${shape}".`,
    )
  }
}

function describe(kind: Value['kind']): string {
  return kind === 'text' ? 'plain text' : kind === 'nothing' ? 'empty' : `a ${kind}`
}

function nameOf({ path }: Value): string {
  return path.slice(path.lastIndexOf('.') + 1)
}
