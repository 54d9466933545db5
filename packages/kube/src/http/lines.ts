const newline = 0x0a

/**
 * The longest line that is kept while its end has not come. The API server stores objects of 1.5 MiB at most; written as
 * JSON, where `<` takes six bytes and fields have names, they are longer, but not by so much.
 */
const defaultMaxBytes = 32 * 1024 * 1024

export class LineTooLongError extends Error {
  override readonly name = 'LineTooLongError'
  constructor(maxBytes: number) {
    super(`a line is longer than ${Math.round(maxBytes / 1024)} KiB`)
  }
}

/** Room that is kept for the next line, whatever the last one took. */
const keptRoom = 64 * 1024

/** Cuts a stream of bytes into lines. What has no newline yet is kept until it comes, or never handed out. */
export class LineSplitter {
  readonly #maxBytes: number
  /**
   * What has come of a line, at the beginning of a piece of memory that is used again: with new pieces for each of many
   * large lines, the process would hold many times what they need.
   */
  #room: Buffer = Buffer.alloc(0)
  #length = 0

  constructor(maxBytes = defaultMaxBytes) {
    this.#maxBytes = maxBytes
  }

  /** The lines that this chunk completes, without their newline; empty ones are left out. */
  push(chunk: Buffer): string[] {
    const lines: string[] = []
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const line = this.#complete(chunk, start, end)
      if (line !== '') lines.push(line)
      start = end + 1
    }
    this.#keep(chunk, start, chunk.length)
    return lines
  }

  /** Whether the stream stopped in the middle of a line. */
  get isMidLine(): boolean {
    return this.#length > 0
  }

  #complete(chunk: Buffer, start: number, end: number): string {
    if (this.#length === 0) return chunk.toString('utf8', start, end)
    // Bytes are joined before they are decoded: a chunk may end in the middle of a character.
    this.#keep(chunk, start, end)
    const line = this.#room.toString('utf8', 0, this.#length)
    // Where lines have become short again, a long one's room is not held for ever.
    if (this.#room.length > Math.max(keptRoom, 4 * this.#length)) this.#room = Buffer.alloc(0)
    this.#length = 0
    return line
  }

  #keep(chunk: Buffer, start: number, end: number): void {
    const length = this.#length + end - start
    if (length > this.#maxBytes) throw new LineTooLongError(this.#maxBytes)
    if (length > this.#room.length) this.#grow(length)
    chunk.copy(this.#room, this.#length, start, end)
    this.#length = length
  }

  #grow(length: number): void {
    const room = Buffer.allocUnsafeSlow(Math.max(keptRoom, 2 ** Math.ceil(Math.log2(length))))
    this.#room.copy(room, 0, 0, this.#length)
    this.#room = room
  }
}
