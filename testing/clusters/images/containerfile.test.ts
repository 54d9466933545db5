import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readContainerfile } from './containerfile.ts'

const own = readFileSync('Containerfile', 'utf8')

test("The operator's Containerfile is read: what its image is started with, and which files it has", () => {
  const { base, sources, config, copies } = readContainerfile(own)
  expect(base).toMatch(/\/node:\d+-alpine@sha256:[0-9a-f]{64}$/)
  expect(sources).toBe('/src')
  expect(config).toEqual({
    User: '65532:65532',
    Entrypoint: [
      'node',
      '--max-old-space-size=384',
      '--max-semi-space-size=4',
      '/usr/local/lib/portcullis.mjs',
    ],
    Cmd: ['operator'],
    Labels: {
      'org.opencontainers.image.title': 'portcullis',
      'org.opencontainers.image.licenses': 'Apache-2.0',
    },
  })
  expect(copies).toEqual([
    { from: 'dist/portcullis.mjs', to: 'usr/local/lib/portcullis.mjs' },
    { from: 'dist/sbom.cdx.json', to: 'usr/share/doc/portcullis/sbom.cdx.json' },
    { from: 'LICENSE', to: 'usr/share/doc/portcullis/LICENSE' },
    { from: 'docs/third-party-licences.md', to: 'usr/share/doc/portcullis/third-party-licences.md' },
  ])
})

const build = 'FROM node AS build\nWORKDIR /src\n'

test.each([
  ['A third stage', `${build}FROM node\nFROM node\n`, 'this one has 3'],
  ['Another base', `${build}FROM other\n`, 'different images: node, other'],
  ['An unknown instruction', `${build}FROM node\nVOLUME /data\n`, '"VOLUME /data" is not understood'],
  ['A shell form', `${build}FROM node\nCMD node main.js\n`, '"node main.js" needs a shell'],
  ['A file of the context', `${build}FROM node\nCOPY LICENSE /\n`, 'takes files below /src'],
  ['A label in other words', `${build}FROM node\nLABEL a=b\n`, 'write NAME="VALUE"'],
  ['A first stage without WORKDIR', 'FROM node AS build\nFROM node\n', 'has no WORKDIR'],
])('%s is refused, and named', (_, text, message) => {
  expect(() => readContainerfile(text)).toThrow(message)
})

test('A line that goes on is one instruction, and comments are none', () => {
  const text = `# A comment\n${build}FROM node\n# Another\nCMD ["node", \\\n  "main.js"]\n`
  expect(readContainerfile(text).config.Cmd).toEqual(['node', 'main.js'])
})
