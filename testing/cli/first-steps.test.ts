import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { sharedControlPlane } from '../clusters/shared-control-plane.ts'
import { follow } from '../onprem/follow-guide.ts'

const file = fileURLToPath(new URL('../../docs/first-steps.md', import.meta.url))

/**
 * Without what is different every time: names that the cloud makes up, ages, names of pods, how wide columns are, and which
 * steps of a change last long enough to be seen.
 */
function lasting(text: string): string {
  return text
    .replaceAll(/(internal-)?[0-9a-f]{32}-\d+\.us-east-1\.elb\.amazonaws\.com/g, '$1….elb.amazonaws.com')
    .replaceAll(/router-(edge|rival)-[0-9a-z]+-[0-9a-z]{5}/g, 'router-$1-…')
    .replaceAll(/\b(\d+m)?\d+s\b/g, '…s')
    .replaceAll(/^\[\d+ s\] .*\n/gm, '')
    .replaceAll(/waiting since \S+/g, 'waiting since ….')
    .replaceAll(/ +/g, ' ')
    .replaceAll(/-{2,}/g, '--')
}

test('The commands of docs/first-steps.md print what the page shows', { timeout: 300_000 }, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'portcullis-first-steps-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const guide = await readFile(file, 'utf8')
  const followed = await follow(guide, directory, dirname(sharedControlPlane().binaries.kubectl))
  // To write the guide anew: PORTCULLIS_WRITE_GUIDE=1.
  if (process.env['PORTCULLIS_WRITE_GUIDE'] === '1') await writeFile(file, followed)
  else expect(lasting(followed)).toBe(lasting(guide))
})
