import type { CommandIO } from '../io/command-io.ts'
import type { ClusterChoice, Connection } from './connect.ts'

/** Connects to a cluster for as long as `use` takes, and closes the connection however it ends. */
export async function withCluster<R>(
  io: Pick<CommandIO, 'connect'>,
  choice: ClusterChoice,
  use: (client: Connection) => Promise<R>,
): Promise<R> {
  const client = await io.connect(choice)
  try {
    return await use(client)
  } finally {
    await client.close()
  }
}
