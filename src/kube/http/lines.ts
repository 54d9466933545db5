const newline = 0x0a

/** Cuts a stream of bytes into lines. What has no newline yet is kept until it comes, or never handed out. */
export class LineSplitter {
  #rest: Buffer[] = []

  /** The lines that this chunk completes, without their newline; empty ones are left out. */
  push(chunk: Buffer): string[] {
    const lines: string[] = []
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const line = this.#complete(chunk, start, end)
      if (line !== '') lines.push(line)
      start = end + 1
    }
    if (start < chunk.length) this.#rest.push(chunk.subarray(start))
    return lines
  }

  /** Whether the stream stopped in the middle of a line. */
  get isMidLine(): boolean {
    return this.#rest.length > 0
  }

  #complete(chunk: Buffer, start: number, end: number): string {
    if (this.#rest.length === 0) return chunk.toString('utf8', start, end)
    // Bytes are joined before they are decoded: a chunk may end in the middle of a character.
    const line = Buffer.concat([...this.#rest, chunk.subarray(start, end)]).toString('utf8')
    this.#rest = []
    return line
  }
}
