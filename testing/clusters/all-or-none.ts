/** The first failure ends the others; when this rejects, none of them is at work any more. */
export async function allOrNone<const T extends readonly ((signal: AbortSignal) => Promise<unknown>)[]>(
  signal: AbortSignal | undefined,
  starts: T,
): Promise<{ -readonly [K in keyof T]: Awaited<ReturnType<T[K]>> }> {
  const failure = new AbortController()
  const either = AbortSignal.any(signal === undefined ? [failure.signal] : [signal, failure.signal])
  const attempts = starts.map((start) =>
    start(either).catch((error: unknown) => {
      failure.abort(error)
    }),
  )
  const results = await Promise.all(attempts)
  failure.signal.throwIfAborted()
  return results as { -readonly [K in keyof T]: Awaited<ReturnType<T[K]>> }
}
