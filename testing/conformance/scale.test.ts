import { beforeAll, expect, test } from 'vitest'
import { testedServer } from './api-server.ts'
import { ApiVerbs, expecting, messageOf, objectIn, unique } from './api-verbs.ts'
import { gadgetDefinition } from './gadget.ts'

const kube = new ApiVerbs(testedServer())
const group = `${unique('g')}.example.com`
let path = ''
const gadget = (name: string, more: object = {}) => ({
  apiVersion: `${group}/v1`,
  kind: 'Gadget',
  metadata: { name },
  ...more,
})
const scale = (name: string, more: object = {}) => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name },
  ...more,
})
const versionOf = async (name: string) => objectIn(await kube.get(`${path}/${name}`)).metadata.resourceVersion

beforeAll(async () => {
  const definition = structuredClone(gadgetDefinition)
  definition.metadata.name = `gadgets.${group}`
  definition.spec.group = group
  definition.spec.names.shortNames = []
  path = (await kube.define(definition)).collection
})

test('The replicas of a Scale become those of the object, owned by who wrote the Scale', async () => {
  await expecting(201, kube.create(path, gadget('a', { spec: { replicas: 1 } })))
  const scaled = await kube.replace(`${path}/a/scale`, scale('a', { spec: { replicas: 2 } }))
  expect(scaled).toMatchObject({ code: 200, body: { kind: 'Scale', spec: { replicas: 2 } } })
  const { spec, metadata } = objectIn(await kube.get(`${path}/a`))
  expect(spec).toMatchObject({ replicas: 2 })
  expect(metadata.managedFields).toContainEqual(
    expect.objectContaining({ subresource: 'scale', fieldsV1: { 'f:spec': { 'f:replicas': {} } } }),
  )
})

test('A Scale says how many replicas there are to be', async () => {
  await expecting(201, kube.create(path, gadget('none')))
  expect(await kube.patch('merge', `${path}/none/scale`, {})).toMatchObject({
    code: 400,
    body: { message: 'the spec replicas field ".spec.replicas" cannot be empty' },
  })
})

test('A write of a Scale reads defaults of the object, and neither validates nor writes them', async () => {
  await expecting(201, kube.create(path, gadget('bare')))
  const many = await kube.replace(`${path}/bare/scale`, scale('bare', { spec: { replicas: 5 } }))
  expect(many.code).toBe(422)
  expect(messageOf(many)).toContain('no such key: size evaluating rule: many replicas need a large size')
  expect((await kube.replace(`${path}/bare/scale`, scale('bare', { spec: { replicas: 3 } }))).code).toBe(200)
  expect(objectIn(await kube.get(`${path}/bare`)).spec).toEqual({ replicas: 3, size: 'small' })

  const versions = [await versionOf('bare')]
  for (let write = 1; write <= 2; write++) {
    expect((await kube.patch('merge', `${path}/bare`, {})).code).toBe(200)
    versions.push(await versionOf('bare'))
  }
  // The first write of nothing writes the defaults; the second has nothing left to write.
  expect(versions[1]).not.toBe(versions[0])
  expect(versions[2]).toBe(versions[1])
})

test('A Scale of a custom resource can be applied only where that changes nothing', async () => {
  await expecting(201, kube.create(path, gadget('applied', { spec: { replicas: 1 } })))
  const apply = (replicas: number) =>
    kube.apply(`${path}/applied/scale`, scale('applied', { spec: { replicas } }), { force: true })
  const problem =
    'failed to convert new object (/applied; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1'
  expect(await apply(2)).toMatchObject({ code: 500, body: { message: problem } })
  expect(await apply(1)).toMatchObject({ code: 200, body: { spec: { replicas: 1 } } })
})

test('Empty metadata applied to a custom resource is written each time, and not read', async () => {
  const object = gadget('empty', { metadata: { name: 'empty', labels: {} } })
  const versions: string[] = []
  for (let write = 1; write <= 2; write++) {
    const { metadata } = objectIn(await kube.apply(`${path}/empty`, object))
    expect(metadata).not.toHaveProperty('labels')
    versions.push(metadata.resourceVersion)
  }
  // The first write of nothing writes what is read; the second has nothing left to write.
  for (let write = 1; write <= 2; write++) {
    expect((await kube.patch('merge', `${path}/empty`, {})).code).toBe(200)
    versions.push(await versionOf('empty'))
  }
  expect(new Set(versions).size).toBe(3)
  expect(versions[3]).toBe(versions[2])
})
