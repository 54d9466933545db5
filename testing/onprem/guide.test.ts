import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { follow } from './follow-guide.ts'
import { debianProgram } from './install-programs.ts'

const file = fileURLToPath(new URL('../../docs/bring-your-own-load-balancer.md', import.meta.url))

/** Without what is different every time: times, names that are made up, and whom it fell to. */
function lasting(text: string): string {
  return text
    .replaceAll(/\d+(\.\d+)? s\b/g, '… s')
    .replaceAll(/portcullis-[0-9a-z]{6}\./g, 'portcullis-….')
    .replaceAll(/200 from \S+;/g, '200 from …;')
    .replaceAll(/\S+ every time; members are also .*/g, '… every time; members are also …')
    .replaceAll(/\(back to themselves: .*\)/g, '(back to themselves: …)')
    .replaceAll(/(✓ ingress, .* every member) \(.*\)/g, '$1 (…)')
}

test('The commands of docs/bring-your-own-load-balancer.md print what the page shows', {
  timeout: 400_000,
}, async () => {
  await debianProgram('haproxy')
  await debianProgram('dnsmasq', 'dnsmasq-base')
  const directory = await mkdtemp(join(tmpdir(), 'portcullis-guide-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const guide = await readFile(file, 'utf8')
  const followed = await follow(guide, directory)
  // To write the guide anew: PORTCULLIS_WRITE_GUIDE=1.
  if (process.env['PORTCULLIS_WRITE_GUIDE'] === '1') await writeFile(file, followed)
  else expect(lasting(followed)).toBe(lasting(guide))
})
