// Floods a port of this machine: many connections at once, each with several requests in a row, and a new one for each
// that is closed. Usage: flood.ts PORT CONNECTIONS SECONDS LOCAL-ADDRESS…
import { connect } from 'node:net'

const [port = '', connections = '', seconds = '', ...localAddresses] = process.argv.slice(2)
const requests = 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(8)
const count = { tried: 0, answers: 0 }
let isOver = false

function flood(localAddress: string): void {
  if (isOver) return
  count.tried++
  const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress })
  socket.on('connect', () => {
    socket.write(requests)
  })
  socket.on('data', (chunk) => {
    count.answers += chunk.toString('latin1').split('HTTP/1.1 200').length - 1
    socket.write(requests)
  })
  socket.on('error', () => {})
  socket.on('close', () => setImmediate(flood, localAddress))
}

for (let number = 0; number < Number(connections); number++)
  flood(localAddresses[number % localAddresses.length] ?? '127.0.0.1')
setTimeout(() => {
  isOver = true
  console.log(JSON.stringify(count))
  process.exit()
}, Number(seconds) * 1000)
