// Runs in a network namespace of the bed: what connects to a port that the parent listens on is joined to a port in here.
import { connect, type Server } from 'node:net'

process.on('message', (port: number, server: Server) => {
  server.on('connection', (outside) => {
    const inside = connect({ port, host: '127.0.0.1' })
    outside.on('error', () => inside.destroy())
    inside.on('error', () => outside.destroy())
    outside.pipe(inside).pipe(outside)
    outside.once('close', () => inside.destroy())
    inside.once('close', () => outside.destroy())
  })
  process.send?.('open')
})
process.once('disconnect', () => process.exit())
