import { readdir } from 'node:fs/promises'
import { startHttpServer } from '@portcullis/kube/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { SandboxProcess } from '../../testing/sandbox-process.ts'

const patience = { timeout: 20_000 }

test(
  'it says where it runs and what to try, writes a kubeconfig, and takes it away on Ctrl-C',
  patience,
  async () => {
    const sandbox = await SandboxProcess.start('--nodes', '1', '--platform', 'GCP')
    await vi.waitFor(() => expect(sandbox.output).toContain('press Ctrl-C to stop'), patience)
    expect(sandbox.output).toMatch(
      /^A Kubernetes cluster with 1 worker node on GCP runs at https:\/\/127\.0\.0\.1:\d+/,
    )
    expect(await readdir(`${sandbox.directory}/.portcullis`)).toEqual(['kubeconfig'])
    sandbox.interrupt()
    expect(await sandbox.ended()).toBe(0)
    expect(await readdir(sandbox.directory)).toEqual([])
  },
)

test('where nobody reads what it says, it ends in good order', patience, async () => {
  const sandbox = await SandboxProcess.start('--nodes', '1')
  sandbox.leaveUnread()
  expect(await sandbox.ended()).toBe(0)
  expect(sandbox.output).toBe('')
  expect(await readdir(sandbox.directory)).toEqual([])
})

test(
  'where Ctrl-C ends the reader too, as in a pipeline, it still ends in good order',
  patience,
  async () => {
    const sandbox = await SandboxProcess.start('--nodes', '1')
    await vi.waitFor(() => expect(sandbox.output).toContain('press Ctrl-C to stop'), patience)
    sandbox.leaveUnread()
    sandbox.interrupt()
    expect(await sandbox.ended()).toBe(0)
    expect(await readdir(sandbox.directory)).toEqual([])
  },
)

test('a port that is in use is told in one line', patience, async () => {
  const other = await startHttpServer(() => {})
  onTestFinished(() => other.close())
  const sandbox = await SandboxProcess.start('--port', other.url.port)
  expect(await sandbox.ended()).toBe(1)
  expect(sandbox.output).toBe(
    `portcullis: Port ${other.url.port} is in use; choose another with --port, or leave the option out.\n`,
  )
})

test('a place that cannot be written is told in one line', patience, async () => {
  const sandbox = await SandboxProcess.start('--kubeconfig', '/dev/null/kubeconfig')
  expect(await sandbox.ended()).toBe(1)
  expect(sandbox.output).toMatch(
    /^portcullis: Cannot write the kubeconfig to \/dev\/null\/kubeconfig: E(EXIST|NOTDIR).*; specify another path with --kubeconfig\.\n$/,
  )
})
