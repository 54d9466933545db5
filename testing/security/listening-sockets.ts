import { readdir, readFile, readlink } from 'node:fs/promises'

const listening = '0A'

/** Where a process listens, as `address:port` in the kernel's own words made readable. Only Linux shows it. */
export async function listenersOf(pid: number): Promise<string[]> {
  const own = new Set<string>()
  for (const descriptor of await readdir(`/proc/${pid}/fd`)) {
    const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => '')
    const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1]
    if (inode !== undefined) own.add(inode)
  }
  const found: string[] = []
  for (const [table, open] of [
    ['tcp', listening],
    ['tcp6', listening],
    // A socket that receives datagrams is in the state "closed": there are no connections.
    ['udp', '07'],
    ['udp6', '07'],
  ] as const) {
    const lines = (await readFile(`/proc/${pid}/net/${table}`, 'utf8')).trim().split('\n').slice(1)
    for (const line of lines) {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/)
      if (state === open && own.has(inode)) found.push(`${table} ${readable(local)}`)
    }
  }
  return found.sort()
}

/** `0100007F:1F90` is 127.0.0.1:8080 on a machine that writes numbers backwards, as all of ours do. */
function readable(address: string): string {
  const [host = '', port = ''] = address.split(':')
  const name = host.length === 8 ? [...Buffer.from(host, 'hex')].toReversed().join('.') : host
  return `${name}:${Number.parseInt(port, 16)}`
}
