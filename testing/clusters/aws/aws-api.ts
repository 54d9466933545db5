import { request } from 'undici'
import { readXml, type XmlElement } from './xml.ts'

export const region = 'us-east-1'

/** What a call is given: lists are numbered as each service likes it. */
export type Parameters = { readonly [name: string]: Parameter }
type Parameter = string | readonly Parameter[] | Parameters

/** What differs between the services of AWS that speak its Query protocol. */
const services = {
  ec2: { signedAs: 'ec2', version: '2016-11-15', listItem: '' },
  /** Classic load balancers. */
  elb: { signedAs: 'elasticloadbalancing', version: '2012-06-01', listItem: 'member.' },
  /** Network load balancers. */
  elbv2: { signedAs: 'elasticloadbalancing', version: '2015-12-01', listItem: 'member.' },
} as const

/** AWS, or what plays it, by its Query protocol. Nobody checks the signature. */
export class AwsApi {
  readonly url: string

  constructor(url: string) {
    this.url = url
  }

  async call(
    service: keyof typeof services,
    action: string,
    parameters: Parameters = {},
  ): Promise<XmlElement> {
    const { signedAs, version, listItem } = services[service]
    const form = new URLSearchParams({ Action: action, Version: version })
    for (const [name, value] of flat(parameters, listItem)) form.set(name, value)
    const scope = `portcullis/20300101/${region}/${signedAs}/aws4_request`
    const { statusCode, body } = await request(this.url, {
      method: 'POST',
      headers: {
        authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=none`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: form.toString(),
    })
    const text = await body.text()
    if (statusCode !== 200) throw new Error(`${service} ${action} was answered by ${statusCode}: ${text}`)
    return readXml(text)
  }
}

/** `Tag.1.Key` in one service, `Tags.member.1.Key` in another. */
function* flat(value: Parameter, listItem: string, path = ''): Iterable<readonly [string, string]> {
  if (typeof value === 'string') yield [path, value]
  else if (Array.isArray(value)) {
    for (const [index, item] of (value as readonly Parameter[]).entries()) {
      yield* flat(item, listItem, `${path}.${listItem}${index + 1}`)
    }
  } else {
    for (const [name, item] of Object.entries(value)) {
      yield* flat(item, listItem, path === '' ? name : `${path}.${name}`)
    }
  }
}
