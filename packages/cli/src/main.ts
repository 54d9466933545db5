import { basename } from 'node:path'
import { commandIO } from './io/command-io.ts'
import { reportFailure } from './io/failure.ts'
import { runPortcullis } from './portcullis.ts'

// The same program under three names: kubectl finds `kubectl portcullis`, and its completion, by the other two.
const name = basename(process.argv[1] ?? '').replace(/\.\w+$/, '')
const words = process.argv.slice(2)
const io = commandIO(process)

// The reader may close the pipe first, as `head` does: a command that runs until it is stopped then shuts down cleanly.
process.stdout.once('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') reportFailure(io, error)
})
// Later output is discarded.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})

await runPortcullis(name === 'kubectl_complete-portcullis' ? ['__complete', ...words] : words, io, {
  name: name === 'kubectl-portcullis' ? 'kubectl portcullis' : 'portcullis',
})
