import { basename } from 'node:path'
import { commandIO } from './io/command-io.ts'
import { reportFailure } from './io/failure.ts'
import { runPortcullis } from './portcullis.ts'

// The same program under three names: kubectl finds `kubectl portcullis`, and its completion, by the other two.
const name = basename(process.argv[1] ?? '').replace(/\.\w+$/, '')
const words = process.argv.slice(2)
const io = commandIO(process)

// The reader may end first, as `head` does: what runs until it is stopped then ends in good order.
process.stdout.once('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') reportFailure(io, error)
})
// What is written after that is lost.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})

await runPortcullis(name === 'kubectl_complete-portcullis' ? ['__complete', ...words] : words, io, {
  name: name === 'kubectl-portcullis' ? 'kubectl portcullis' : 'portcullis',
})
