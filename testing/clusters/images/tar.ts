/** Tar archives as plain data: the same entries always give the same bytes. */

interface Common {
  /** Relative, without a slash at either end. */
  readonly path: string
  readonly mode?: number
  readonly uid?: number
  readonly gid?: number
}

export type TarEntry =
  | (Common & {
      readonly type: 'file'
      readonly content: Uint8Array
      readonly xattrs?: Readonly<Record<string, Uint8Array>>
    })
  | (Common & { readonly type: 'directory' })
  | (Common & { readonly type: 'link'; readonly target: string })

const blockSize = 512
const usualModes = { file: 0o644, directory: 0o755, link: 0o777 } as const
const typeFlags = { file: '0', directory: '5', link: '2' } as const
const paxFlag = 'x'

/** The archive in pieces, which share their memory with the contents of the entries. */
export function tar(entries: readonly TarEntry[]): readonly Uint8Array[] {
  return [...entries.flatMap(pieces), Buffer.alloc(2 * blockSize)]
}

function pieces(entry: TarEntry): Uint8Array[] {
  const target = entry.type === 'link' ? entry.target : ''
  const content = entry.type === 'file' ? entry.content : Buffer.alloc(0)
  const path = entry.type === 'directory' ? `${entry.path}/` : entry.path
  const extended = Buffer.concat(paxRecords(entry, path, target))
  const { mode = usualModes[entry.type], uid = 0, gid = 0 } = entry
  const owner = { mode, uid, gid }
  return [
    ...(extended.length > 0
      ? [
          header({ path: 'pax', flag: paxFlag, size: extended.length, target: '', ...owner }),
          ...padded(extended),
        ]
      : []),
    header({ path, flag: typeFlags[entry.type], size: content.length, target, ...owner }),
    ...padded(content),
  ]
}

/** What the fixed fields of a header cannot hold. */
function paxRecords(entry: TarEntry, path: string, target: string): Buffer[] {
  const xattrs = entry.type === 'file' ? Object.entries(entry.xattrs ?? {}) : []
  return [
    ...(fits(path) ? [] : [paxRecord('path', Buffer.from(path))]),
    ...(fits(target) ? [] : [paxRecord('linkpath', Buffer.from(target))]),
    ...xattrs.map(([name, value]) => paxRecord(`SCHILY.xattr.${name}`, value)),
  ]
}

const fieldLength = 100

function fits(text: string): boolean {
  return Buffer.byteLength(text) <= fieldLength
}

/** `LENGTH KEY=VALUE\n`, where the length counts its own digits. */
function paxRecord(key: string, value: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(` ${key}=`), value, Buffer.from('\n')])
  let length = body.length
  while (`${length}`.length + body.length !== length) length = `${length}`.length + body.length
  return Buffer.concat([Buffer.from(`${length}`), body])
}

interface Header {
  readonly path: string
  readonly flag: string
  readonly size: number
  readonly target: string
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

function header({ path, flag, size, target, mode, uid, gid }: Header): Buffer {
  const block = Buffer.alloc(blockSize)
  const text = (value: string, offset: number, length: number) => {
    Buffer.from(value).copy(block, offset, 0, length)
  }
  const number = (value: number, offset: number, length: number) =>
    text(`${value.toString(8).padStart(length - 1, '0')}\0`, offset, length)
  text(path, 0, fieldLength)
  number(mode, 100, 8)
  number(uid, 108, 8)
  number(gid, 116, 8)
  number(size, 124, 12)
  number(0, 136, 12) // The time of change: what is the same stays the same.
  text(flag, 156, 1)
  text(target, 157, fieldLength)
  text('ustar\x0000', 257, 8)
  // The checksum is that of the header with spaces in its place.
  text(' '.repeat(8), 148, 8)
  const sum = block.reduce((total, byte) => total + byte, 0)
  text(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 8)
  return block
}

function padded(content: Uint8Array): Uint8Array[] {
  const rest = content.length % blockSize
  return rest === 0 ? [content] : [content, Buffer.alloc(blockSize - rest)]
}
