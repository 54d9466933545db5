import { setTimeout as pause } from 'node:timers/promises'

/** Polls, but not so often that polling takes the time; an error counts as no. */
export async function waitUntil(
  isSo: () => boolean | Promise<boolean>,
  what: string,
  { seconds = 60, everyMs = 20 }: { readonly seconds?: number; readonly everyMs?: number } = {},
): Promise<void> {
  const deadline = performance.now() + seconds * 1000
  for (;;) {
    try {
      if (await isSo()) return
    } catch {
      // Not yet.
    }
    if (performance.now() > deadline) throw new Error(`In vain we waited ${seconds} s until ${what}.`)
    await pause(everyMs)
  }
}
