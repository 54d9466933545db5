import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readControllers } from './controller-files.ts'

const header = 'apiVersion: operator.openshift.io/v1\nkind: IngressController\n'
const named = (name: string, rest = '') => `${header}metadata: { name: ${name} }\n${rest}`
const read = (input: string, files = ['-']) =>
  readControllers(files, 'n', { readInput: async () => Buffer.from(input) })

test('A file may hold several documents and lists, and IngressControllers without a namespace get the given one', async () => {
  const list = JSON.stringify({
    kind: 'List',
    items: [{ apiVersion: 'operator.openshift.io/v1', kind: 'IngressController', metadata: { name: 'c' } }],
  })
  const found = await read(
    `---\n${named('a', 'spec: { replicas: 2 }')}\n---\n# nothing\n---\n${named('b')}\n---\n${list}`,
  )
  expect(found.map(({ controller }) => controller.metadata)).toEqual(
    ['a', 'b', 'c'].map((name) => ({ namespace: 'n', name })),
  )
  expect(found[0]?.controller.spec).toEqual({ replicas: 2 })
})

test('An error about a file names the file', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'portcullis-files-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const [one, two] = [join(directory, 'one.yaml'), join(directory, 'two.yaml')]
  for (const file of [one, two]) await writeFile(file, named('a'))
  await expect(read('', [one, two])).rejects.toThrow(
    `"a" is defined in ${one} and again in ${two}: remove one of them`,
  )
  await expect(read('', [`${one}x`])).rejects.toThrow(
    /Cannot read .*one\.yamlx: no such file; name a file with IngressControllers/,
  )
  await expect(read('', [directory])).rejects.toThrow(
    `${directory} is a directory: specify the files in it (-f ${join(directory, '*.yaml')}).`,
  )
})

test.each([
  [
    'another kind',
    'apiVersion: apps/v1\nkind: Deployment',
    'stdin: Deployment (apps/v1) is not an IngressController',
  ],
  [
    'an object without a kind',
    'a: 1',
    'an object without a kind (no apiVersion) is not an IngressController',
  ],
  [
    'an IngressController of another API version',
    named('a').replace('/v1', '/v2'),
    'operator.openshift.io/v2) is not an IngressController',
  ],
  [
    'an IngressController without a name',
    `${header}metadata: {}`,
    'metadata.name of an IngressController is missing',
  ],
  [
    'an IngressController of another namespace',
    `${header}metadata: { name: a, namespace: m }`,
    'is in the namespace m, not in n',
  ],
  ['invalid YAML', 'a: [', 'stdin: '],
  [
    'an alias of an object that contains it',
    named('a', 'spec: &s { nodePlacement: *s }'),
    'stdin: an alias (*name) refers to an object that contains it: write the value out.',
  ],
  [
    'too many nested aliases',
    named(
      'a',
      `spec:\n  a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n  b: &b [${'*a, '.repeat(20)}]\n  c: [${'*b, '.repeat(20)}]`,
    ),
    /^stdin: Excessive alias count.*: write out the values of its aliases\.$/,
  ],
  ['an alias without an anchor', named('a', 'spec: *s'), /^stdin: Unresolved alias/],
  ['a misspelt spec', named('a', 'sepc: {}'), '"a":\n  sepc: unknown field; remove it'],
  [
    'labels that are a number',
    `${header}metadata: { name: a, labels: 4 }`,
    '"a":\n  metadata.labels: json: cannot unmarshal',
  ],
  ['a label that is a number', `${header}metadata: { name: a, labels: { b: 4 } }`, /"a":\n {2}.*labels/],
  [
    'a label that is not valid',
    `${header}metadata: { name: a, labels: { b: -c } }`,
    'metadata.labels: Invalid',
  ],
  [
    'an unknown field of metadata',
    `${header}metadata: { name: a, lables: {} }`,
    'metadata.lables: unknown field',
  ],
  ['no IngressController', '\n', 'contains no IngressController'],
])('A file with %s is refused', async (_, input, words) => {
  await expect(read(input)).rejects.toThrow(words)
})

test('Fields that the API server sets itself are ignored in a file', async () => {
  const metadata = 'metadata: { name: a, uid: u, creationTimestamp: null, generation: 3, managedFields: [] }'
  const [found] = await read(`${header}${metadata}\nstatus: { ofNextYear: 1 }`)
  expect(found?.controller).toEqual({ metadata: { namespace: 'n', name: 'a' } })
})
