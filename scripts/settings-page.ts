import { operatorConfiguration } from '@portcullis/operator'
import { z } from 'zod'

/** The reference page of the operator's settings, made from the schema that reads them. */
export function settingsPage(): string {
  const { properties = {} } = z.toJSONSchema(operatorConfiguration, { io: 'input' })
  const rows = Object.entries(properties).map(([name, schema]) => {
    if (typeof schema === 'boolean') return ''
    const { type = '', enum: choices, default: value, description = '' } = schema
    const kind =
      choices === undefined ? String(type) : choices.map((choice) => `\`${String(choice)}\``).join(' or ')
    return `| \`${name}\` | ${kind} | ${value === undefined ? '' : `\`${JSON.stringify(value)}\``} | ${description} |`
  })
  return [
    '# Settings of the operator',
    '',
    'Defaults, then the configuration file (`--config`), then flags. A flag has the name of the setting:',
    '`lostAddressGrace` is `--lost-address-grace`; `classAddresses` has none. `portcullis operator --print-config` shows what',
    'results and where each came from. This page is generated: `npm run generate`.',
    '',
    '| setting | type | default | meaning |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}
