import { afterEach, describe, expect, test } from 'vitest'
import { testedServer } from './api-server.ts'
import { ApiVerbs, asTable, expecting, messageOf, unique } from './api-verbs.ts'

const kube = new ApiVerbs(testedServer())
const root = '/apis/admissionregistration.k8s.io/v1'
const policies = `${root}/validatingadmissionpolicies`
const bindings = `${root}/validatingadmissionpolicybindings`

const made: string[] = []
afterEach(async () => {
  for (const path of made.splice(0)) await kube.delete(path)
})

/** About a kind that nobody has, so that no policy of a test stands in the way of another test. */
const rule = {
  apiGroups: ['nobody.example.com'],
  apiVersions: ['*'],
  operations: ['CREATE'],
  resources: ['things'],
}
const matchConstraints = { resourceRules: [rule] }
const validations = [{ expression: 'true' }]

async function create(collection: string, spec: object) {
  const name = unique('policy-')
  const answer = await kube.create(collection, { metadata: { name }, spec })
  made.push(`${collection}/${name}`)
  return { name, path: `${collection}/${name}`, answer }
}

const createPolicy = (spec: object) => create(policies, { matchConstraints, validations, ...spec })
const createBinding = (spec: object) =>
  create(bindings, { policyName: 'p', validationActions: ['Deny'], ...spec })

describe('A ValidatingAdmissionPolicy', () => {
  test('A ValidatingAdmissionPolicy gets its defaults', async () => {
    const { answer } = await createPolicy({})
    expect(answer).toMatchObject({ code: 201, body: { metadata: { generation: 1 } } })
    expect((answer.body as { spec: object }).spec).toEqual({
      failurePolicy: 'Fail',
      matchConstraints: {
        matchPolicy: 'Equivalent',
        namespaceSelector: {},
        objectSelector: {},
        resourceRules: [{ ...rule, scope: '*' }],
      },
      validations,
    })
    expect((answer.body as { status: object }).status).toEqual({})
  })

  test('A ValidatingAdmissionPolicy is of a new generation when its spec changes, and its status is written apart', async () => {
    const { path } = await createPolicy({})
    expect((await kube.patch('merge', path, { spec: { failurePolicy: 'Ignore' } })).body).toMatchObject({
      metadata: { generation: 2 },
      spec: { failurePolicy: 'Ignore' },
    })
    const ignored = await kube.patch('merge', path, { status: { observedGeneration: 77 } })
    expect(ignored.code).toBe(200)
    expect(ignored.body).not.toMatchObject({ status: { observedGeneration: 77 } })
    const written = await kube.patch('merge', `${path}/status`, { status: { observedGeneration: 99 } })
    expect(written).toMatchObject({ code: 200, body: { status: { observedGeneration: 99 } } })
  })

  test('A ValidatingAdmissionPolicy cannot be replaced without saying which version is replaced', async () => {
    const { name, path } = await createPolicy({})
    const answer = await kube.replace(path, { metadata: { name }, spec: { matchConstraints, validations } })
    expect(answer.code).toBe(422)
    expect(messageOf(answer)).toContain('metadata.resourceVersion: Invalid value')
  })

  test('A ValidatingAdmissionPolicy is shown with the number of its rules and the kind of its parameters', async () => {
    const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' }
    const { path } = await createPolicy({ paramKind, validations: [...validations, ...validations] })
    const { body } = await kube.get(path, asTable)
    const { columnDefinitions, rows } = body as Table
    expect(columnDefinitions.map(({ name }) => name)).toEqual(['Name', 'Validations', 'ParamKind', 'Age'])
    expect(rows[0]?.cells.slice(1, 3)).toEqual([2, 'v1/ConfigMap'])
  })

  test('A ValidatingAdmissionPolicy may use variables, parameters and the user in its expressions', async () => {
    const { answer } = await createPolicy({
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      variables: [
        { name: 'spec', expression: 'object.spec' },
        { name: 'replicas', expression: 'variables.spec.?replicas.orValue(1)' },
      ],
      matchConditions: [
        { name: 'who', expression: 'request.userInfo.username == "a" || params.x == object' },
      ],
      validations: [
        {
          expression:
            'variables.replicas <= int(params.data.most) && authorizer.group("").resource("pods").check("get").allowed()',
          messageExpression: '"at most " + params.data.most',
          reason: 'Forbidden',
        },
      ],
      auditAnnotations: [{ key: 'replicas', valueExpression: 'string(variables.replicas)' }],
    })
    expect(messageOf(answer)).toBeUndefined()
    expect(answer.code).toBe(201)
  })
})

interface Table {
  readonly columnDefinitions: readonly { readonly name: string }[]
  readonly rows: readonly { readonly cells: readonly unknown[] }[]
}

describe('Refused ValidatingAdmissionPolicies', () => {
  const rules = (changed: object) => ({ matchConstraints: { resourceRules: [{ ...rule, ...changed }] } })
  const validation = (changed: object) => ({ validations: [{ expression: 'true', ...changed }] })
  const at = 'spec.matchConstraints.resourceRules[0]'
  test.each([
    ['no constraints', { matchConstraints: null }, 'spec.matchConstraints: Required value'],
    [
      'no rules about resources',
      { matchConstraints: {} },
      'spec.matchConstraints.resourceRules: Required value',
    ],
    [
      'nothing to hold',
      { validations: [] },
      'spec.validations: Required value: validations or auditAnnotations must contain at least one item',
    ],
    [
      'an unknown failure policy',
      { failurePolicy: 'Maybe' },
      'spec.failurePolicy: Unsupported value: "Maybe": supported values: "Fail", "Ignore"',
    ],
    ['no operation', rules({ operations: [] }), `${at}.operations: Required value`],
    [
      'an unknown operation',
      rules({ operations: ['LOOK'] }),
      `${at}.operations[0]: Unsupported value: "LOOK": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"`,
    ],
    [
      'all operations and one',
      rules({ operations: ['*', 'CREATE'] }),
      `${at}.operations: Invalid value: ["*","CREATE"]: if '*' is present, must not specify other operations`,
    ],
    ['no group', rules({ apiGroups: [] }), `${at}.apiGroups: Required value`],
    ['an empty version', rules({ apiVersions: [''] }), `${at}.apiVersions[0]: Required value`],
    ['no resource', rules({ resources: [] }), `${at}.resources: Required value`],
    [
      'all resources and one',
      rules({ resources: ['*', 'pods'] }),
      `${at}.resources: Invalid value: ["*","pods"]: if '*' is present, must not specify other resources without subresources`,
    ],
    [
      'all subresources and one',
      rules({ resources: ['pods/*', 'pods/log'] }),
      `${at}.resources[1]: Invalid value: "pods/log": if 'pods/*' is present, must not specify pods/log`,
    ],
    [
      'an unknown scope',
      rules({ scope: 'World' }),
      `${at}.scope: Unsupported value: "World": supported values: "*", "Cluster", "Namespaced"`,
    ],
    ['a name twice', rules({ resourceNames: ['a', 'a'] }), `${at}.resourceNames[1]: Duplicate value: "a"`],
    [
      'an expression that ends too early',
      validation({ expression: 'object.spec ==' }),
      'spec.validations[0].expression: Invalid value: "object.spec ==": compilation failed: ERROR: <input>:1:15: Syntax error: mismatched input \'<EOF>\'',
    ],
    [
      'an expression of an unknown variable',
      validation({ expression: 'self == 1' }),
      "compilation failed: ERROR: <input>:1:1: undeclared reference to 'self' (in container '')",
    ],
    [
      'an undeclared variable of its own',
      { variables: [{ name: 'a', expression: '1' }], ...validation({ expression: 'variables.b == 1' }) },
      "compilation failed: ERROR: <input>:1:10: undefined field 'b'",
    ],
    [
      'parameters that it does not have',
      validation({ expression: 'params == 1' }),
      "undeclared reference to 'params' (in container '')",
    ],
    [
      'a rule that is no condition',
      validation({ expression: '"yes"' }),
      'spec.validations[0].expression: Invalid value: "\\"yes\\"": must evaluate to bool but got string',
    ],
    [
      'a message that is no text',
      validation({ messageExpression: '1' }),
      'spec.validations[0].messageExpression: Invalid value: "1": must evaluate to string but got int',
    ],
    [
      'an empty expression',
      validation({ expression: ' ' }),
      'spec.validations[0].expression: Required value: expression is not specified',
    ],
    ['a message of two lines', validation({ message: 'a\nb' }), 'must not contain line breaks'],
    [
      'an unknown reason',
      validation({ reason: 'Because' }),
      'spec.validations[0].reason: Unsupported value: "Because": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
    ],
    [
      'a variable with a name of CEL',
      { variables: [{ name: 'in', expression: '1' }] },
      'spec.variables[0].name: Invalid value: "in": must be a valid CEL identifier',
    ],
    [
      'a condition twice',
      {
        matchConditions: [
          { name: 'a', expression: 'true' },
          { name: 'a', expression: 'true' },
        ],
      },
      'spec.matchConditions[1].name: Duplicate value: "a"',
    ],
    [
      'a condition of its own variables',
      {
        variables: [{ name: 'a', expression: '1' }],
        matchConditions: [{ name: 'a', expression: 'variables.a == 1' }],
      },
      "undeclared reference to 'variables' (in container '')",
    ],
    [
      'an annotation that is a number',
      { auditAnnotations: [{ key: 'a', valueExpression: '1' }] },
      'spec.auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int',
    ],
    [
      'parameters of no version',
      { paramKind: { apiVersion: 'a/', kind: 'B' } },
      'spec.paramKind.apiVersion: Invalid value: "a/": version must be specified',
    ],
    [
      'parameters of a kind that is none',
      { paramKind: { apiVersion: 'v1', kind: '9' } },
      'spec.paramKind.kind: Invalid value: "9": may have mixed case, but should otherwise match: a DNS-1035 label must consist of',
    ],
  ])('A ValidatingAdmissionPolicy with %s is refused', async (_, spec, message) => {
    const { answer } = await createPolicy(spec)
    expect(answer.code).toBe(422)
    expect(messageOf(answer)).toContain(message)
  })
})

describe('A ValidatingAdmissionPolicyBinding', () => {
  test('A ValidatingAdmissionPolicyBinding gets its defaults', async () => {
    const { answer } = await createBinding({ matchResources: { resourceRules: [rule] } })
    expect(answer.code).toBe(201)
    expect((answer.body as { spec: object }).spec).toEqual({
      policyName: 'p',
      validationActions: ['Deny'],
      matchResources: {
        matchPolicy: 'Equivalent',
        namespaceSelector: {},
        objectSelector: {},
        resourceRules: [{ ...rule, scope: '*' }],
      },
    })
  })

  test('A ValidatingAdmissionPolicyBinding is shown with its policy and its parameters', async () => {
    const paramRef = { name: 'settings', namespace: 'a', parameterNotFoundAction: 'Deny' }
    const { path } = await createBinding({ paramRef })
    const { columnDefinitions, rows } = (await kube.get(path, asTable)).body as Table
    expect(columnDefinitions.map(({ name }) => name)).toEqual(['Name', 'PolicyName', 'ParamRef', 'Age'])
    expect(rows[0]?.cells.slice(1, 3)).toEqual(['p', 'a/settings'])
  })

  test.each([
    ['no policy', { policyName: '' }, 'spec.policyName: Required value'],
    [
      'a name of a policy that is none',
      { policyName: 'Not Valid' },
      'spec.policyName: Invalid value: "Not Valid"',
    ],
    [
      'no action',
      { validationActions: [] },
      'spec.validationActions: Required value: at least one validation action is required',
    ],
    [
      'an unknown action',
      { validationActions: ['Shout'] },
      'spec.validationActions[0]: Unsupported value: "Shout": supported values: "Audit", "Deny", "Warn"',
    ],
    [
      'an action twice',
      { validationActions: ['Deny', 'Deny'] },
      'spec.validationActions[1]: Duplicate value: "Deny"',
    ],
    ['two answers', { validationActions: ['Deny', 'Warn'] }, 'must not contain both Deny and Warn'],
    [
      'neither a name nor a selector',
      { paramRef: { parameterNotFoundAction: 'Deny' } },
      'spec.paramRef: Required value: one of name or selector must be specified',
    ],
    [
      'a name and a selector',
      { paramRef: { name: 'a', selector: {}, parameterNotFoundAction: 'Deny' } },
      'spec.paramRef.name: Forbidden: name and selector are mutually exclusive',
    ],
    [
      'no word on missing parameters',
      { paramRef: { name: 'a' } },
      'spec.paramRef.parameterNotFoundAction: Required value',
    ],
  ])('A ValidatingAdmissionPolicyBinding with %s is refused', async (_, spec, message) => {
    const { answer } = await createBinding(spec)
    expect(answer.code).toBe(422)
    expect(messageOf(answer)).toContain(message)
  })
})

test('Fields of a group without status are no fields of a binding', async () => {
  const { path } = await createBinding({})
  const patched = await kube.patch('merge', path, { status: { a: 1 } })
  expect((await expecting(200, Promise.resolve(patched))).status).toBeUndefined()
})
