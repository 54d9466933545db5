/** What can go wrong with a call to AWS. */
export type CloudFault =
  /** The caller may not. */
  | { readonly type: 'denied' }
  /** There may be no more of these. */
  | { readonly type: 'quota' }
  /** Too many calls in too short a time: the caller tries again by itself, thrice. */
  | { readonly type: 'throttled' }
  /** The connection is cut before there is an answer. */
  | { readonly type: 'dropped' }
  /** The answer is the right one, but late. */
  | { readonly type: 'slow'; readonly delayMs: number }

/** Which calls are to go wrong, and how. */
export interface CloudRule {
  readonly fault: CloudFault
  /** `CreateLoadBalancer`; every action unless given. */
  readonly action?: string
  /** Only calls with a parameter that has this text in it: the name of a load balancer, or a Service in a tag. */
  readonly about?: string
}

/** One call to the cloud, as it was seen on the way. */
export interface CloudCall {
  readonly action: string
  readonly parameters: Readonly<Record<string, string>>
  /** The answer's HTTP status; absent when there was none. */
  readonly status?: number
  /** What the rules made of it. */
  readonly fault?: CloudFault['type']
}

type Asked = Pick<CloudCall, 'action' | 'parameters'>

export function applies({ action, about }: Omit<CloudRule, 'fault'>, call: Asked): boolean {
  if (action !== undefined && action !== call.action) return false
  return about === undefined || Object.values(call.parameters).some((value) => value.includes(about))
}

/** What AWS answers instead; undefined where the fault is another kind of trouble. */
export function errorAnswer(
  fault: CloudFault,
  { action, parameters }: Asked,
): { readonly status: number; readonly xml: string } | undefined {
  const isEc2 = parameters['Version'] === '2016-11-15'
  switch (fault.type) {
    case 'denied': {
      const permission = `${isEc2 ? 'ec2' : 'elasticloadbalancing'}:${action}`
      const words = `User: arn:aws:sts::123456789012:assumed-role/sandbox/cloud-controller is not authorized to perform: ${permission}`
      return { status: 403, xml: errorXml(isEc2, isEc2 ? 'UnauthorizedOperation' : 'AccessDenied', words) }
    }
    case 'quota':
      return {
        status: 400,
        xml: errorXml(isEc2, 'TooManyLoadBalancers', 'Exceeded quota of account 123456789012'),
      }
    case 'throttled':
      return {
        status: 400,
        xml: errorXml(isEc2, isEc2 ? 'RequestLimitExceeded' : 'Throttling', 'Rate exceeded'),
      }
    case 'dropped':
    case 'slow':
      return undefined
  }
}

function errorXml(isEc2: boolean, code: string, message: string): string {
  const error = `<Code>${code}</Code><Message>${message}</Message>`
  return isEc2
    ? `<Response><Errors><Error>${error}</Error></Errors><RequestID>portcullis</RequestID></Response>`
    : `<ErrorResponse><Error><Type>Sender</Type>${error}</Error><RequestId>portcullis</RequestId></ErrorResponse>`
}
