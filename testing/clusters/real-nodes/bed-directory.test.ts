import { access, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ownerOf, removeAbandoned } from './bed-directory.ts'
import { formatIdentity, processIdentity } from './process-identity.ts'

test('The name of a bed tells the process that made it', () => {
  expect(ownerOf('portcullis-nodes-4838-541115-NRxRwH')).toEqual({ pid: 4838, start: 541115 })
})

test.each([
  'portcullis-nodes-kubeconfig',
  'portcullis-nodes-4838',
  'portcullis-nodes-4838-541115',
  'portcullis-nodes-4838-541115-',
  'portcullis-nodes-4838-541115-NRxRwH.bak',
  'portcullis-nodes-4838-541115-NRxRwH-mine',
  'portcullis-nodes-0-541115-NRxRwH',
  'my-portcullis-nodes-4838-541115-NRxRwH',
  'portcullis-nodes-4838-541115-../../',
])('"%s" is not the name of a bed', (name) => {
  expect(ownerOf(name)).toBeUndefined()
})

test('Of what looks like beds, directories alone are removed whose process is gone', async ({ skip }) => {
  const self = processIdentity(process.pid)
  if (self === undefined) return skip('Processes are read from /proc, which Linux has.')
  const temporary = await mkdtemp(join(tmpdir(), 'portcullis-abandoned-'))
  onTestFinished(() => rm(temporary, { recursive: true, force: true }))
  const abandoned = formatIdentity({ ...self, start: self.start + 1 })
  const kept = [
    'portcullis-nodes-kubeconfig',
    'portcullis-nodes-mine',
    `portcullis-nodes-${formatIdentity(self)}-living`,
    `portcullis-nodes-${abandoned}-aaFile`,
    `portcullis-nodes-${abandoned}-aaLink`,
  ] as const
  const [kubeconfig, mine, living, file, link] = kept
  for (const name of [kubeconfig, file]) await writeFile(join(temporary, name), 'mine')
  for (const name of [mine, living]) await mkdir(join(temporary, name))
  await symlink(join(temporary, mine), join(temporary, link))
  await mkdir(join(temporary, `portcullis-nodes-${abandoned}-AbCd12`, 'logs'), { recursive: true })

  await removeAbandoned(temporary, 'no hierarchy of cgroups')
  expect((await readdir(temporary)).toSorted()).toEqual([...kept].toSorted())
  await access(join(temporary, mine))
})
