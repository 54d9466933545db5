import { formatMessage } from '@portcullis/cli/internal/io/format-message.ts'
import { ApiError, isLabelKey, isLabelValue, isSubdomain, parseTime, printable } from '@portcullis/kube'
import { parseRequestHead } from '@portcullis/kube/internal/health/request-head.ts'
import { onOneLine, sanitizeUntrusted } from '@portcullis/kube/internal/text/sanitize-untrusted.ts'
import { isPublishableIp, isPublishableName } from '@portcullis/operator/internal/addresses/publishable.ts'
import { commandsIn, quoted } from '@portcullis/operator/internal/ingress/commands.ts'
import { provenanceAnnotation } from '@portcullis/operator/internal/ingress/names.ts'
import { findPlatform } from '@portcullis/operator/internal/ingress/platforms/find-platform.ts'
import { readProvenance } from '@portcullis/operator/internal/ingress/strategies/provenance.ts'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'

/** What has a regular expression in it and is given text of others as long as they like. */
const readers = {
  sanitizeUntrusted,
  onOneLine,
  printable,
  parseTime,
  commandsIn,
  quoted,
  isLabelKey,
  isLabelValue,
  isSubdomain,
  formatMessage: (text: string) => formatMessage(text, '  '),
  isPublishableIp,
  isPublishableName,
  parseRequestHead: (text: string) => parseRequestHead(`GET /metrics HTTP/1.1\r\nhost: ${text}\r\n\r\n`),
  readProvenance: (type: string) =>
    readProvenance({ [provenanceAnnotation]: JSON.stringify({ scope: 'Internal', type }) }),
  ApiError: (text: string) => new ApiError('do it', 422, { message: text, reason: text }).message,
  findPlatform: (text: string) =>
    findPlatform({ infrastructure: undefined, providerIds: [text], setting: undefined }),
}

/** What expressions stumble over: long runs of the same, and an end that does not fit. */
const part = fc.constantFrom(
  ' ',
  '\n',
  ' \n',
  '\t',
  '`',
  '`x',
  "'",
  '.',
  '-',
  '-.',
  'a',
  'a.',
  '0',
  ':',
  '/',
  '\u202e',
  '\u2028',
  '👩',
)
const shape = fc.record({ start: fc.option(part), run: part, end: fc.option(part) })

const textWith = (
  { start, run, end }: { start: string | null; run: string; end: string | null },
  length: number,
) => `${start ?? ''}${run.repeat(Math.ceil(length / run.length))}${end ?? ''}`

/** Of the processor, the best of a few: a machine that is busy makes some slower, none faster. */
function milliseconds(work: () => unknown): number {
  const times = Array.from({ length: 3 }, () => {
    const start = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1000
  })
  return Math.min(...times)
}

/** Less is not worth measuring. */
const floorMs = 5

test.each(Object.entries(readers))(
  '%s takes time in proportion to the text, up to a megabyte',
  (_, read) => {
    fc.assert(
      fc.property(shape, (drawn) => {
        let before = floorMs
        // Sixteen times the text: linear is 16 times the time, quadratic 256 times.
        for (const length of [4_000, 64_000, 1_000_000]) {
          const took = milliseconds(() => read(textWith(drawn, length)))
          expect(took, `${length} characters, after ${before} ms for a sixteenth`).toBeLessThan(64 * before)
          before = Math.max(took, floorMs)
        }
      }),
      { numRuns: 8 },
    )
  },
  60_000,
)
