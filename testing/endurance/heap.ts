import { WebSocket } from 'undici'

/** The heap in use of a process that runs with `--inspect`, after garbage collection. */
export async function heapInUse(inspector: string): Promise<number> {
  const socket = new WebSocket(inspector)
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve())
    socket.addEventListener('error', () => reject(new Error(`Nobody answers at ${inspector}`)))
  })
  try {
    // What a collection finalises is gone after the next.
    for (let round = 0; round < 3; round++) await ask(socket, 'HeapProfiler.collectGarbage')
    const { usedSize } = (await ask(socket, 'Runtime.getHeapUsage')) as { usedSize: number }
    return usedSize
  } finally {
    socket.close()
  }
}

let asked = 0

function ask(socket: WebSocket, method: string): Promise<unknown> {
  const id = ++asked
  return new Promise((resolve, reject) => {
    const onMessage = ({ data }: { data: unknown }) => {
      const answer = JSON.parse(String(data)) as {
        id?: number
        result?: unknown
        error?: { message: string }
      }
      if (answer.id !== id) return
      socket.removeEventListener('message', onMessage)
      if (answer.error === undefined) resolve(answer.result)
      else reject(new Error(`${method}: ${answer.error.message}`))
    }
    socket.addEventListener('message', onMessage)
    socket.addEventListener('close', () => reject(new Error(`${method}: the process has ended`)))
    socket.send(JSON.stringify({ id, method }))
  })
}
