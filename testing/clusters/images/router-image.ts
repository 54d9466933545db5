import { configDirectory } from '@portcullis/operator/internal/ingress/operands/router-security.ts'
import { withParents } from './entries.ts'
import type { ImageConfig } from './oci-archive.ts'
import type { TarEntry } from './tar.ts'

/** CAP_NET_BIND_SERVICE, permitted and effective, as the kernel keeps it with a file: with it HAProxy is in OpenShift's image. */
const mayBindLowPorts = { 'security.capability': capability(10) }

function capability(bit: number): Uint8Array {
  const value = Buffer.alloc(20)
  value.writeUInt32LE(0x02000001, 0)
  value.writeUInt32LE(1 << bit, 4)
  return value
}

interface RouterFiles {
  readonly program: Uint8Array
  /** The shell of the init container. */
  readonly shell: readonly TarEntry[]
}

/**
 * What OpenShift's image of its router has, in small: its user, a program that may listen on low ports, and the directory that
 * the init container copies: root's, of group 0, which may write.
 */
export function routerLayer({ program, shell }: RouterFiles, isCapable: boolean): readonly TarEntry[] {
  const directory = configDirectory.slice(1)
  const text = (path: string, mode: number, content: string) =>
    ({ type: 'file', path: `${directory}/${path}`, mode, content: Buffer.from(content) }) as const
  return withParents([
    ...['', '/conf', '/router', '/router/certs'].map(
      (path) => ({ type: 'directory', path: `${directory}${path}`, mode: 0o775 }) as const,
    ),
    text('conf/haproxy-config.template', 0o444, '# Nothing is made of it.\n'),
    text('conf/haproxy.config', 0o664, ''),
    text('reload-haproxy', 0o775, '#!/bin/sh\n'),
    ...shell,
    { type: 'directory', path: 'tmp', mode: 0o1777 },
    {
      type: 'file',
      path: 'usr/bin/router',
      mode: 0o755,
      content: program,
      ...(isCapable && { xattrs: mayBindLowPorts }),
    },
  ])
}

export const routerConfig: ImageConfig = {
  User: '1001',
  Env: ['PATH=/usr/bin:/bin'],
  Entrypoint: ['/usr/bin/router'],
}
