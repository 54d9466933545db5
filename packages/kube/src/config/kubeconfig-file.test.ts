import { expect, it } from 'vitest'
import { KubeconfigError } from './kubeconfig-error.ts'
import { parseKubeconfigFile } from './kubeconfig-file.ts'

const parse = (content: string | object) =>
  parseKubeconfigFile('config', typeof content === 'string' ? content : JSON.stringify(content))

function problemsOf(content: string | object): readonly string[] {
  try {
    parse(content)
    return []
  } catch (error) {
    if (error instanceof KubeconfigError) return error.problems
    throw error
  }
}

it('A kubeconfig file has clusters, users and contexts by name, each with its location', () => {
  const file = parse({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'prod',
    clusters: [{ name: 'east', cluster: { server: 's' } }],
    users: [{ name: 'ann' }, { name: 'bob', user: null }],
    contexts: [{ name: 'prod', context: { cluster: 'east' } }],
  })
  expect(file).toEqual({
    path: 'config',
    currentContext: 'prod',
    clusters: new Map([
      [
        'east',
        {
          name: 'east',
          values: { server: 's' },
          location: { source: 'config', path: 'clusters[0].cluster', owner: 'cluster "east"' },
        },
      ],
    ]),
    users: new Map([
      [
        'ann',
        {
          name: 'ann',
          values: {},
          location: { source: 'config', path: 'users[0].user', owner: 'user "ann"' },
        },
      ],
      [
        'bob',
        {
          name: 'bob',
          values: {},
          location: { source: 'config', path: 'users[1].user', owner: 'user "bob"' },
        },
      ],
    ]),
    contexts: new Map([
      [
        'prod',
        {
          name: 'prod',
          values: { cluster: 'east' },
          location: { source: 'config', path: 'contexts[0].context', owner: 'context "prod"' },
        },
      ],
    ]),
  })
})

it.each(['', '# nothing yet\n', '---\n', '{}', 'null'])('A kubeconfig file may be empty: %j', (text) => {
  const nothing = new Map()
  expect(parse(text)).toEqual({
    path: 'config',
    currentContext: undefined,
    clusters: nothing,
    users: nothing,
    contexts: nothing,
  })
})

it('A kubeconfig file may use merge keys', () => {
  const text = 'clusters: [{name: a, cluster: &a {x: 1, y: 2}}, {name: b, cluster: {<<: *a, y: 3}}]'
  expect(parse(text).clusters.get('b')?.values).toEqual({ x: 1, y: 3 })
})

it.each([
  [
    'text',
    's3cret',
    'is not a kubeconfig: it must be a mapping with clusters, users and contexts, but is text',
  ],
  [
    'a list',
    [],
    'is not a kubeconfig: it must be a mapping with clusters, users and contexts, but is a list',
  ],
  [
    'a number',
    '0',
    'is not a kubeconfig: it must be a mapping with clusters, users and contexts, but is a number',
  ],
  ['another kind', { kind: 'Pod' }, 'kind: is "Pod", but a kubeconfig is a "Config"; name another file'],
  ['another version', { apiVersion: 'v2' }, 'apiVersion: is "v2", but only "v1" is known'],
  ['no list', { users: {} }, 'users: must be a list, but is a mapping'],
  ['an entry that is none', { users: ['s3cret'] }, 'users[0]: must be a mapping, but is text'],
  ['an entry without a name', { users: [{}] }, 'users[0].name: is missing; every user needs one'],
  ['an empty name', { contexts: [{ name: '' }] }, 'contexts[0].name: is missing; every context needs one'],
  ['a name of null', { clusters: [{ name: null }] }, 'clusters[0].name: is missing; every cluster needs one'],
  [
    'a name that is a number',
    { users: [{ name: 12 }] },
    'users[0].name: must be text, but is a number; put it in quotes',
  ],
  [
    'a name that is taken',
    { contexts: [{ name: 'a' }, { name: 'a' }] },
    'contexts[1].name: "a" is the name of another context in this file; rename one of the two',
  ],
  [
    'a body that is a list',
    { clusters: [{ name: 'a', cluster: ['s3cret'] }] },
    'clusters[0].cluster (cluster "a"): must be a mapping, but is a list',
  ],
  ['a key twice', 'users: []\nusers: []\n', 'line 2, column 1: is not valid YAML: Map keys must be unique'],
  [
    'a text that the parser would quote',
    'users: |s3cret\n',
    'line 1, column 9: is not valid YAML: Block scalar header includes extra characters',
  ],
  [
    'an escape that YAML does not know',
    'users: "\\qs3cret"',
    'line 1, column 9: is not valid YAML: Invalid escape sequence',
  ],
  [
    'an alias of nothing',
    'users: [*s3cret]',
    'is not valid YAML: Unresolved alias (the anchor must be set before the alias)',
  ],
])(
  'A kubeconfig file with %s is refused, and the message names the location and no secret',
  (_, content, says) => {
    expect(problemsOf(content)).toEqual([`config: ${says}`])
  },
)

it('A kubeconfig file is refused with everything that is wrong with its outline at once', () => {
  const content = { kind: 'Pod', apiVersion: 'v2', clusters: 1, users: [{}, { name: 'ann', user: 2 }] }
  expect(problemsOf(content)).toHaveLength(5)
})
