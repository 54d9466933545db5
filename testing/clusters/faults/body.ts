import type { Position } from './faults.ts'

const newline = 0x0a

/** A response body, read piece by piece up to a position of interest. Nothing is held back that need not be. */
export class Body {
  readonly #chunks: AsyncIterator<Buffer>
  /** Read, but not yet taken. */
  #rest: Buffer | undefined

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  /** All up to the position, as it comes; ends early if the body does. */
  async *upTo(position: Position): AsyncGenerator<Buffer> {
    let missing = 'bytes' in position ? position.bytes : position.lines
    while (missing > 0) {
      const chunk = await this.#next()
      if (chunk === undefined) return
      const { end, counted } = 'bytes' in position ? bytesIn(chunk, missing) : linesIn(chunk, missing)
      missing -= counted
      this.#putBack(chunk.subarray(end))
      yield chunk.subarray(0, end)
    }
  }

  /** The next line with its end, once it is complete; what is left, if the body ends before. */
  async line(): Promise<Buffer> {
    const pieces: Buffer[] = []
    for await (const piece of this.upTo({ lines: 1 })) pieces.push(piece)
    return Buffer.concat(pieces)
  }

  async *rest(): AsyncGenerator<Buffer> {
    for (let chunk = await this.#next(); chunk !== undefined; chunk = await this.#next()) yield chunk
  }

  async #next(): Promise<Buffer | undefined> {
    const rest = this.#rest
    this.#rest = undefined
    if (rest !== undefined) return rest
    const { done, value } = await this.#chunks.next()
    return done === true ? undefined : value
  }

  #putBack(rest: Buffer): void {
    if (rest.length > 0) this.#rest = rest
  }
}

interface Measured {
  /** Where the part of the chunk ends that belongs before the position. */
  readonly end: number
  readonly counted: number
}

function bytesIn(chunk: Buffer, wanted: number): Measured {
  const end = Math.min(wanted, chunk.length)
  return { end, counted: end }
}

function linesIn(chunk: Buffer, wanted: number): Measured {
  let end = 0
  for (let counted = 0; counted < wanted; counted++) {
    const at = chunk.indexOf(newline, end)
    if (at === -1) return { end: chunk.length, counted }
    end = at + 1
  }
  return { end, counted: wanted }
}
