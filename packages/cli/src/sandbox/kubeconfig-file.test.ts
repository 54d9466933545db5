import { lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { writeKubeconfig } from './kubeconfig-file.ts'

const cluster = { server: 'https://127.0.0.1:6443', ca: 'an authority', token: 'a token' }

async function emptyDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'portcullis-kubeconfig-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  return directory
}

test('The kubeconfig is readable by its owner only, and is removed with the directories created for it', async () => {
  const directory = await emptyDirectory()
  const path = join(directory, 'deep', 'deeper', 'kubeconfig')
  const kubeconfig = await writeKubeconfig(path, cluster)
  expect(kubeconfig.path).toBe(path)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await readFile(path, 'utf8')).toContain('token: a token')
  await kubeconfig.remove()
  expect(await readdir(directory)).toEqual([])
})

test('An existing file is neither written nor removed, and the error names it', async () => {
  const directory = await emptyDirectory()
  const path = join(directory, 'my config')
  await writeFile(path, 'mine', { mode: 0o644 })
  await expect(writeKubeconfig(path, cluster)).rejects.toThrow(
    `${path} already exists and was not changed. If a killed sandbox left it behind, remove it with \`rm '${path}'\`; otherwise specify another path with --kubeconfig.`,
  )
  expect(await readFile(path, 'utf8')).toBe('mine')
})

test.each(['a file', 'nothing'])('A symbolic link to %s is refused and not followed', async (to) => {
  const directory = await emptyDirectory()
  const target = join(directory, 'target')
  const path = join(directory, 'kubeconfig')
  if (to === 'a file') await writeFile(target, 'theirs')
  await symlink(target, path)
  await expect(writeKubeconfig(path, cluster)).rejects.toThrow('already exists')
  expect((await lstat(path)).isSymbolicLink()).toBe(true)
  if (to === 'a file') expect(await readFile(target, 'utf8')).toBe('theirs')
  else expect(await readdir(directory)).toEqual(['kubeconfig'])
})

test('A file that replaces the kubeconfig is not removed', async () => {
  const directory = await emptyDirectory()
  const path = join(directory, 'made', 'kubeconfig')
  const kubeconfig = await writeKubeconfig(path, cluster)
  const content = await readFile(path, 'utf8')
  await rm(path)
  // Under another name first, so that the new file cannot get the inode of the old one.
  await writeFile(`${path}.new`, content)
  await writeFile(path, content)
  await kubeconfig.remove()
  expect(await readFile(path, 'utf8')).toBe(content)
})

test('An edited kubeconfig is not removed, nor is a directory that holds other files', async () => {
  const directory = await emptyDirectory()
  const edited = await writeKubeconfig(join(directory, 'one', 'kubeconfig'), cluster)
  await writeFile(edited.path, 'edited')
  await edited.remove()
  expect(await readFile(edited.path, 'utf8')).toBe('edited')
  const beside = await writeKubeconfig(join(directory, 'two', 'kubeconfig'), cluster)
  await mkdir(join(directory, 'two', 'notes'))
  await beside.remove()
  expect(await readdir(join(directory, 'two'))).toEqual(['notes'])
})
