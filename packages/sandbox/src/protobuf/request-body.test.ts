import { expect, it } from 'vitest'
import { protobufToJson } from './request-body.ts'
import { MalformedProtobuf } from './wire.ts'
import { bytesField, numberField, textField } from './write.ts'

/** What kubectl 1.36 sends, byte for byte. */
const sent = {
  configMap:
    '6b3873000a0f0a0276311209436f6e6669674d6170121b0a110a016112001a0022002a0032003800420012060a01781201311a002200',
  secret:
    '6b3873000a0c0a0276311206536563726574121d0a110a017312001a0022002a0032003800420012060a01611201621a001a002200',
  deployment:
    '6b3873000a150a07617070732f7631120a4465706c6f796d656e7412b8010a1f0a0377656212001a0022002a003200380042005a0a0a0361707012037765621286010802120c0a0a0a0361707012037765621a6c0a1c0a0012001a0022002a003200380042005a0a0a036170701203776562124c122e0a056e67696e7812056e67696e782a00320a0a001000185022002a0042006a007200800100880100900100a201001a00320042004a0052005800600068008201008a01009a0100c2010022020a00280038001a0c0800100018002000280038001a002200',
  serviceToNumber:
    '6b3873000a0d0a02763112075365727669636512630a1b0a017312001a0022002a003200380042005a080a0361707012017312400a1b0a0738302d38303830120354435018502207080010903f1a00280012080a036170701201731a002209436c757374657249503a00420052005a00600068001a020a001a002200',
  serviceToName:
    '6b3873000a0d0a02763112075365727669636512690a1d0a02733212001a0022002a003200380042005a090a036170701202733212440a1e0a0738302d6874747012035443501850220a080110001a0468747470280012090a03617070120273321a002209436c757374657249503a00420052005a00600068001a020a001a002200',
  ingress:
    '6b3873000a1f0a146e6574776f726b696e672e6b38732e696f2f76311207496e6772657373124c0a110a016912001a0022002a003200380042001233120a0a05612e636f6d1201781a250a05612e636f6d121c0a1a0a180a012f120b22090a017312040a0010501a065072656669781a020a001a002200',
  budget:
    '6b3873000a200a09706f6c6963792f76311213506f6444697372757074696f6e427564676574123a0a110a017012001a0022002a0032003800420012190a09080110001a03353025120c0a0a0a0361707012037765621a0a080018002000280030001a002200',
  accessReview:
    '6b3873000a320a17617574686f72697a6174696f6e2e6b38732e696f2f7631121753656c665375626a656374416363657373526576696577123c0a100a0012001a0022002a00320038004200121e0a1c0a0764656661756c7412036765741a0022002a04706f647332003a001a08080012001a0020001a002200',
}

const read = (name: keyof typeof sent) => protobufToJson(Buffer.from(sent[name], 'hex'))

/** A body such as a typed client would send. */
function body(apiVersion: string, kind: string, message: Buffer): Buffer {
  const type = Buffer.concat([textField(1, apiVersion), textField(2, kind)])
  return Buffer.concat([Buffer.from('k8s\0', 'latin1'), bytesField(1, type), bytesField(2, message)])
}

it('A body in protobuf names its kind, and decodes to the same JSON', () => {
  expect(read('configMap')).toMatchObject({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a' },
    data: { x: '1' },
  })
})

it('A body in protobuf has bytes as base64', () => {
  expect(read('secret')).toMatchObject({ kind: 'Secret', data: { a: 'Yg==' } })
})

it('A body in protobuf has nested messages, lists and numbers', () => {
  expect(read('deployment')).toMatchObject({
    apiVersion: 'apps/v1',
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'web' } },
      template: {
        spec: { containers: [{ name: 'nginx', image: 'nginx', ports: [{ containerPort: 80 }] }] },
      },
    },
  })
})

it('A body in protobuf has no time where Go has none', () => {
  expect(read('configMap')).toMatchObject({ metadata: { creationTimestamp: null } })
})

it('A body in protobuf has a port that is a number or a name', () => {
  expect(read('serviceToNumber')).toMatchObject({ spec: { ports: [{ port: 80, targetPort: 8080 }] } })
  expect(read('serviceToName')).toMatchObject({ spec: { ports: [{ port: 80, targetPort: 'http' }] } })
  expect(read('budget')).toMatchObject({ spec: { minAvailable: '50%' } })
})

it('A body in protobuf has the fields of embedded structs beside the others', () => {
  const backend = { service: { name: 's', port: { number: 80 } } }
  expect(read('ingress')).toMatchObject({
    apiVersion: 'networking.k8s.io/v1',
    spec: {
      rules: [{ host: 'a.com', http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }],
      tls: [{ hosts: ['a.com'], secretName: 'x' }],
    },
  })
})

it('A body in protobuf may be of a kind that is never stored', () => {
  expect(read('accessReview')).toMatchObject({
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { namespace: 'default', verb: 'get', resource: 'pods' } },
  })
})

it('A body in protobuf may be DeleteOptions, which belong to the group of the deleted object', () => {
  const preconditions = textField(1, 'some-uid')
  const options = Buffer.concat([
    numberField(1, 30),
    bytesField(2, preconditions),
    textField(4, 'Foreground'),
  ])
  expect(protobufToJson(body('apps/v1', 'DeleteOptions', options))).toEqual({
    apiVersion: 'apps/v1',
    kind: 'DeleteOptions',
    gracePeriodSeconds: 30,
    preconditions: { uid: 'some-uid' },
    propagationPolicy: 'Foreground',
  })
})

it('A body in protobuf has times to the second, and those of Leases to the microsecond', () => {
  const instant = Buffer.concat([numberField(1, 1_700_000_000), numberField(2, 123_456_789)])
  const meta = bytesField(1, bytesField(8, instant))
  const lease = Buffer.concat([
    meta,
    bytesField(2, Buffer.concat([bytesField(4, instant), numberField(2, -15)])),
  ])
  expect(protobufToJson(body('coordination.k8s.io/v1', 'Lease', lease))).toMatchObject({
    metadata: { creationTimestamp: '2023-11-14T22:13:20Z' },
    spec: { renewTime: '2023-11-14T22:13:20.123456Z', leaseDurationSeconds: -15 },
  })
})

it('A body in protobuf has managedFields as the JSON that is in them', () => {
  const entry = Buffer.concat([textField(1, 'me'), bytesField(7, textField(1, '{"f:data":{}}'))])
  const message = bytesField(1, bytesField(17, entry))
  expect(protobufToJson(body('v1', 'ConfigMap', message))).toMatchObject({
    metadata: { managedFields: [{ manager: 'me', fieldsV1: { 'f:data': {} } }] },
  })
})

it('A body in protobuf of an unknown kind has only its name', () => {
  const json = protobufToJson(body('batch/v9', 'Job', textField(1, 'x')))
  expect(json).toEqual({ apiVersion: 'batch/v9', kind: 'Job' })
})

it('A body in protobuf keeps a key that is special in JavaScript', () => {
  const entry = Buffer.concat([textField(1, '__proto__'), textField(2, 'v')])
  const read = protobufToJson(body('v1', 'ConfigMap', bytesField(2, entry)))
  expect(JSON.stringify(read['data'])).toBe('{"__proto__":"v"}')
})

it('A body in protobuf that is truncated or not protobuf is refused', () => {
  const whole = Buffer.from(sent.configMap, 'hex')
  expect(() => protobufToJson(whole.subarray(0, 40))).toThrow(MalformedProtobuf)
  expect(() => protobufToJson(Buffer.from('{}'))).toThrow('expected prefix [107 56 115 0]')
})
