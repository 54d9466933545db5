const ellipsis = '…'

/** The API server counts bytes. Cuts between characters, never within one, and shows that something is missing. */
export function cutToBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text
  const room = maxBytes - Buffer.byteLength(ellipsis)
  let kept = ''
  let bytes = 0
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > room) break
    kept += character
  }
  // Text that was put together character by character takes thirty times its length in memory, until it is copied.
  return Buffer.from(kept + ellipsis).toString()
}
