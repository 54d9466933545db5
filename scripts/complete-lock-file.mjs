// `node scripts/complete-lock-file.mjs`, after adding or updating a dependency: completes package-lock.json.
// With --check it changes nothing, and fails where a package has no integrity that the registry in use could give.
//
// Tools with native code bring one optional package for each platform. Where the registry in use carries only
// some of them, npm leaves the others out of the lock file, and `npm ci` then refuses it as incomplete. This adds
// them, by name, version and platform, with the integrity that the registry gives if it does carry them. `npm ci` skips those
// that are for another platform than its own. A package without integrity would be installed unseen, and a test
// refuses it: take the last version of the tool of which the registry carries all platforms.
import { execFileSync } from 'node:child_process'
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

const withoutIntegrity = Object.entries(lock.packages).filter(
  ([path, { integrity, link }]) => path.includes('node_modules/') && integrity === undefined && link !== true,
)
const unknown = []
for (const [path, entry] of withoutIntegrity) {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const integrity = integrityOf(`${name}@${entry.version}`)
  if (integrity === undefined) unknown.push(`${name}@${entry.version}`)
  else lock.packages[path] = { version: entry.version, integrity, ...entry }
}

/** As the registry in use gives it; undefined where it does not carry the package. */
function integrityOf(specifier) {
  try {
    const integrity = execFileSync('npm', ['view', specifier, 'dist.integrity', '--fetch-retries=0'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      shell: process.platform === 'win32',
    }).trim()
    return /^sha\d+-[A-Za-z0-9+/=]+$/.test(integrity) ? integrity : undefined
  } catch {
    return undefined
  }
}

if (process.argv.includes('--check')) {
  if (added.length + withoutIntegrity.length === 0) process.exit(0)
  console.error(
    `package-lock.json lacks ${added.length} packages and the integrity of ${withoutIntegrity.length}: run node scripts/complete-lock-file.mjs with a registry that carries them.`,
  )
  process.exit(1)
}

const byPath = Object.entries(lock.packages).sort(([one], [other]) => (one < other ? -1 : 1))
writeFileSync(
  lockFile,
  `${JSON.stringify({ ...lock, packages: Object.fromEntries(byPath) }, undefined, 2)}\n`,
)
if (unknown.length > 0)
  console.log(
    `Without integrity, because the registry in use does not carry them: ${unknown.join(', ')}. Take the last version of the tool of which it carries all platforms.`,
  )
console.log(
  added.length === 0 ? 'The lock file is complete.' : `Added ${added.length} packages of other platforms.`,
)
