import { createInterface } from 'node:readline'

/** The messages of the process that has started this one, until it ends them or is gone. For programs of `ChildProgram`. */
export async function* messagesOfParent<Message>(): AsyncGenerator<Message> {
  for await (const line of createInterface({ input: process.stdin })) yield JSON.parse(line) as Message
}

export function sendToParent(message: unknown): void {
  process.stdout.write(`${JSON.stringify(message)}\n`)
}
