// Installs the locked dependencies when they are missing or older than the lock file.
// Runs before every npm script that needs them, and needs nothing but Node itself.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = new URL('../', import.meta.url)
const stamp = new URL('node_modules/.portcullis-installed', root)

const wanted = createHash('sha256')
  .update(readFileSync(new URL('package-lock.json', root)))
  .update(process.version)
  .digest('hex')
const installed = existsSync(stamp) ? readFileSync(stamp, 'utf8') : undefined

if (installed !== wanted) {
  const why = installed === undefined ? 'missing' : 'older than package-lock.json'
  console.log(`Dependencies are ${why}: running npm ci`)
  const { status, error } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: fileURLToPath(root),
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (status !== 0) {
    console.error(
      `npm ci failed${error ? `: ${error.message}` : ''}; nothing can run without the dependencies.`,
    )
    process.exit(status ?? 1)
  }
  writeFileSync(stamp, wanted)
}
