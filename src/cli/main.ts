import { basename } from 'node:path'
import { portcullis } from './portcullis.ts'
import { printableLines } from './printable.ts'

// The same program under three names: kubectl finds `kubectl portcullis`, and its completion, by the other two.
const name = basename(process.argv[1] ?? '').replace(/\.\w+$/, '')
const command = portcullis()
if (name === 'kubectl-portcullis') command.name('kubectl portcullis')
const words = process.argv.slice(2)

// Whoever reads along may have enough, as `head` has: then all ends in good order, as when told to, without a word.
let isHeard = true
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  if (isHeard) process.kill(process.pid, 'SIGTERM')
  isHeard = false
})

try {
  await command.parseAsync(name === 'kubectl_complete-portcullis' ? ['__complete', ...words] : words, {
    from: 'user',
  })
} catch (error) {
  // What an API server says is text of others.
  console.error(`portcullis: ${printableLines(error instanceof Error ? error.message : String(error))}`)
  process.exitCode = 1
}
