// `node scripts/complete-lock-file.mjs`, after adding or updating a dependency: completes package-lock.json.
//
// Tools with native code bring one optional package for each platform. Where the registry in use carries only
// some of them, npm leaves the others out of the lock file, and `npm ci` then refuses it as incomplete. This adds
// them, by name, version and platform. `npm ci` skips those that are for another platform than its own.
import { readFileSync, writeFileSync } from 'node:fs'

const operatingSystems = [
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
  'aix',
]
const processors = [
  'arm64',
  'arm',
  'x64',
  'ia32',
  'ppc64',
  'riscv64',
  's390x',
  'loong64',
  'mips64el',
  'wasm32',
]

/** The platform that a package is for, as its name has it: `…-linux-arm64-musl`. */
function platformOf(name) {
  const parts = name.split('/').at(-1).split('-')
  const os = operatingSystems.find((each) => parts.includes(each))
  const cpu = processors.find((each) => parts.includes(each))
  const libc = ['glibc', 'musl'].find((each) => parts.includes(each))
  return { ...(cpu && { cpu: [cpu] }), ...(os && { os: [os] }), ...(libc && { libc: [libc] }) }
}

const lockFile = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(lockFile, 'utf8'))
const added = []

for (const { optionalDependencies = {}, dev } of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const path = `node_modules/${name}`
    const platform = platformOf(name)
    if (lock.packages[path] !== undefined || Object.keys(platform).length === 0) continue
    lock.packages[path] = { version, ...platform, ...(dev && { dev }), optional: true }
    added.push(`${name}@${version}`)
  }
}

const byPath = Object.entries(lock.packages).sort(([one], [other]) => (one < other ? -1 : 1))
writeFileSync(
  lockFile,
  `${JSON.stringify({ ...lock, packages: Object.fromEntries(byPath) }, undefined, 2)}\n`,
)
console.log(
  added.length === 0 ? 'The lock file is complete.' : `Added ${added.length} packages of other platforms.`,
)
