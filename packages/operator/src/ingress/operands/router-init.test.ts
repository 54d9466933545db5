import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { configDirectory, initCommand, initDirectory } from './router-security.ts'

/** As kubelet makes a volume: root's, and writable by all; with a group of its own where `fsGroup` is set. */
const volumes = [
  ['an empty directory', 0o777],
  ['an empty directory with an fsGroup', 0o2777],
] as const

const users = [
  ['the user of the image', 1001],
  ['a user of the range of an OpenShift namespace', 1_000_650_000],
] as const

const routers = users.flatMap(([user, uid]) =>
  volumes.map(([volume, mode]) => [user, volume, uid, mode] as const),
)

/** What OpenShift's image has, in small: root's, of group 0, which may write. */
function anImage(directory: string): void {
  for (const name of ['', 'conf', 'conf/.tmp', 'router', 'router/certs'])
    makeDirectory(join(directory, name), 0o775)
  const files = {
    'reload-haproxy': 0o775,
    'conf/haproxy.config': 0o664,
    'conf/haproxy-config.template': 0o444,
  }
  for (const [name, mode] of Object.entries(files)) {
    writeFileSync(join(directory, name), `the image’s ${name}`)
    chmodSync(join(directory, name), mode)
  }
  symlinkSync('haproxy.config', join(directory, 'conf/link'))
}

function makeDirectory(path: string, mode: number): void {
  mkdirSync(path, { recursive: true })
  // What mkdir makes is less the umask.
  chmodSync(path, mode)
}

// Only root can change its user.
test.skipIf(process.getuid?.() !== 0).each(routers)(
  'The init container of %s copies what routers change to %s, again after a restart',
  (_user, _volume, uid, mode) => {
    const directory = mkdtempSync(join(tmpdir(), 'portcullis-init-'))
    onTestFinished(() => rmSync(directory, { recursive: true }))
    chmodSync(directory, 0o755)
    const [image, volume] = [join(directory, 'image'), join(directory, 'volume')]
    anImage(image)
    makeDirectory(volume, mode)
    if (mode === 0o2777) chownSync(volume, 0, 4242)
    chmodSync(volume, mode)
    const [program, ...args] = initCommand.map((word) =>
      word.replaceAll(configDirectory, image).replaceAll(initDirectory, volume),
    )
    const run = () => spawnSync(program ?? '', args, { uid, gid: 0, encoding: 'utf8', cwd: '/' })

    expect(run()).toMatchObject({ status: 0, stderr: '' })
    writeFileSync(join(volume, 'conf/haproxy.config'), 'a router’s')
    expect(run()).toMatchObject({ status: 0, stderr: '' })

    expect(readFileSync(join(volume, 'conf/link'), 'utf8')).toBe('the image’s conf/haproxy.config')
    const permissionsOf = (name: string) => lstatSync(join(volume, name)).mode & 0o777
    expect(permissionsOf('reload-haproxy')).toBe(0o775)
    expect(permissionsOf('conf/haproxy.config')).toBe(0o664)
    for (const name of ['conf', 'conf/.tmp', 'router/certs']) {
      expect(permissionsOf(name), name).toBe(0o775)
      expect(lstatSync(join(volume, name)).uid, name).toBe(uid)
    }
  },
)
