import { basename } from 'node:path'
import { printableLines } from './io/printable.ts'
import { portcullis } from './portcullis.ts'

// The same program under three names: kubectl finds `kubectl portcullis`, and its completion, by the other two.
const name = basename(process.argv[1] ?? '').replace(/\.\w+$/, '')
const command = portcullis()
if (name === 'kubectl-portcullis') command.name('kubectl portcullis')
const words = process.argv.slice(2)

// Whoever reads along may have enough, as `head` has: what goes on until it is told to stop then ends in good order.
process.stdout.once('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') complain(error)
})
process.stdout.on('error', () => {}) // What is said until the end cannot be heard either.

try {
  await command.parseAsync(name === 'kubectl_complete-portcullis' ? ['__complete', ...words] : words, {
    from: 'user',
  })
} catch (error) {
  complain(error)
}

function complain(error: unknown): void {
  // What an API server says is text of others.
  console.error(`portcullis: ${printableLines(error instanceof Error ? error.message : String(error))}`)
  process.exitCode = 1
}
