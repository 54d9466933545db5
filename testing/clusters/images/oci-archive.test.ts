import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type OciImage, ociArchive } from './oci-archive.ts'
import { type TarEntry, tar } from './tar.ts'

const longName = `${'a-long-directory/'.repeat(7)}file`

const entries: readonly TarEntry[] = [
  { type: 'directory', path: 'tmp', mode: 0o1777 },
  { type: 'file', path: 'hello', content: Buffer.from('hello\n'), mode: 0o755, uid: 7, gid: 8 },
  { type: 'file', path: longName, content: Buffer.alloc(512, 'x') },
  { type: 'link', path: 'link', target: longName },
  { type: 'file', path: 'empty', content: Buffer.alloc(0) },
]

const image: OciImage = {
  name: 'localhost/portcullis/greeter:1',
  architecture: 'amd64',
  config: { User: '1001', Entrypoint: ['/hello'], Labels: { greeting: 'hello' } },
  layers: [entries],
}

/** Unpacked by the tar of this machine. */
function unpacked(pieces: readonly Uint8Array[]) {
  const directory = mkdtempSync(join(tmpdir(), 'portcullis-tar-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const archive = join(directory, 'archive')
  writeFileSync(archive, Buffer.concat(pieces))
  const ran = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('tar', args, { encoding: 'utf8' })
    expect(status, stderr).toBe(0)
    return stdout
  }
  ran('-xf', archive, '-C', directory, '--no-same-owner')
  const listing = ran('--numeric-owner', '--utc', '-tvf', archive).trimEnd().split('\n')
  const json = (path: string) => JSON.parse(readFileSync(join(directory, path), 'utf8'))
  return { listing, json, read: (path: string) => readFileSync(join(directory, path)) }
}

test('tar reads the entries of an archive, with modes, owners, long names and links', () => {
  const { listing, read } = unpacked(tar(entries))
  expect(listing.map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
    'drwxrwxrwt 0/0 0 1970-01-01 00:00 tmp/',
    '-rwxr-xr-x 7/8 6 1970-01-01 00:00 hello',
    `-rw-r--r-- 0/0 512 1970-01-01 00:00 ${longName}`,
    `lrwxrwxrwx 0/0 0 1970-01-01 00:00 link -> ${longName}`,
    '-rw-r--r-- 0/0 0 1970-01-01 00:00 empty',
  ])
  expect(read('hello').toString()).toBe('hello\n')
  expect(read('link')).toEqual(Buffer.alloc(512, 'x'))
})

test.each([1, 85, 86, 87, 985, 986, 987])(
  'The record of an attribute of %i bytes counts its own length',
  (size) => {
    const value = Buffer.alloc(size, 'v')
    const [, record] = tar([
      { type: 'file', path: 'f', content: Buffer.alloc(0), xattrs: { 'security.capability': value } },
    ])
    const text = Buffer.from(record ?? []).toString()
    expect(Number.parseInt(text, 10)).toBe(text.length)
    expect(text).toBe(`${text.length} SCHILY.xattr.security.capability=${value.toString()}\n`)
  },
)

test('An image names its manifest, which names its config and layers, each by the digest of its bytes', () => {
  const { json, read } = unpacked(ociArchive([image]))
  const blob = ({ digest, size }: { readonly digest: string; readonly size: number }) => {
    const path = `blobs/${digest.replace(':', '/')}`
    expect(read(path)).toHaveLength(size)
    expect(`sha256:${createHash('sha256').update(read(path)).digest('hex')}`).toBe(digest)
    return path
  }
  expect(json('oci-layout')).toEqual({ imageLayoutVersion: '1.0.0' })
  const [named] = json('index.json').manifests
  expect(named.annotations).toEqual({
    'io.containerd.image.name': 'localhost/portcullis/greeter:1',
    'org.opencontainers.image.ref.name': '1',
  })
  const manifest = json(blob(named))
  expect(json(blob(manifest.config))).toEqual({
    architecture: 'amd64',
    os: 'linux',
    config: image.config,
    rootfs: { type: 'layers', diff_ids: [manifest.layers[0].digest] },
  })
  const layer = unpacked([read(blob(manifest.layers[0]))])
  expect(layer.read('hello').toString()).toBe('hello\n')
})

test('The same images give the same bytes, and those that differ in a label share their layers', () => {
  const relabelled: OciImage = {
    ...image,
    name: 'localhost/portcullis/greeter:2',
    config: { ...image.config, Labels: { greeting: 'goodbye' } },
  }
  const both = Buffer.concat(ociArchive([image, relabelled]))
  expect(Buffer.concat(ociArchive(structuredClone([image, relabelled])))).toEqual(both)
  const { json, listing } = unpacked([both])
  const manifests = json('index.json').manifests.map((named: { digest: string }) =>
    json(`blobs/${named.digest.replace(':', '/')}`),
  )
  expect(manifests).toHaveLength(2)
  expect(manifests[1].layers).toEqual(manifests[0].layers)
  expect(manifests[1].config).not.toEqual(manifests[0].config)
  // Two manifests, two configs and one layer.
  expect(listing.filter((line) => line.includes('blobs/'))).toHaveLength(5)
})
