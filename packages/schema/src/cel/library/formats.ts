import { type Environment, Optional } from '@marcbachmann/cel-js'
import { stringFormat } from '../../formats.ts'

class FormatValue {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const qualified = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
/** Named formats: pattern and the longest that is allowed. */
const namedFormats: Readonly<Record<string, readonly [pattern: RegExp, max: number]>> = {
  dns1123Label: [new RegExp(`^${label}$`), 63],
  dns1123Subdomain: [new RegExp(`^${label}(\\.${label})*$`), 253],
  dns1035Label: [/^[a-z]([-a-z0-9]*[a-z0-9])?$/, 63],
  qualifiedName: [new RegExp(`^(${label}(\\.${label})*/)?${qualified}$`), 317],
  dns1123LabelPrefix: [new RegExp(`^${label}-?$`), 63],
  dns1123SubdomainPrefix: [new RegExp(`^${label}(\\.${label})*-?$`), 253],
  dns1035LabelPrefix: [/^[a-z]([-a-z0-9]*[a-z0-9])?-?$/, 63],
  labelValue: [new RegExp(`^(${qualified})?$`), 63],
}

export function registerFormats(env: Environment): void {
  env.registerType('NamedFormat', FormatValue as never)
  const names = [...Object.keys(namedFormats), 'uri', 'uuid', 'byte', 'date', 'datetime']
  for (const name of names)
    env.registerFunction(`k8s_format_${name}(): NamedFormat`, () => new FormatValue(name))
  env.registerFunction('k8s_formatNamed(string): optional', (name: string) =>
    names.includes(name) ? Optional.of(new FormatValue(name)) : Optional.none(),
  )
  env.registerFunction('NamedFormat.validate(string): optional', ({ name }: FormatValue, text: string) => {
    const [pattern, max] = namedFormats[name] ?? []
    const fits =
      pattern === undefined || max === undefined
        ? stringFormat(name)?.(text) === true
        : pattern.test(text) && text.length <= max
    return fits ? Optional.none() : Optional.of([`invalid ${name}`])
  })
}
