import { readdir } from 'node:fs/promises'
import { startHttpServer } from '@portcullis/kube/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { SandboxProcess } from '../../testing/sandbox-process.ts'

const slow = { timeout: 20_000 }

test(
  'The sandbox prints its address and examples, writes a kubeconfig, and removes it on Ctrl-C',
  slow,
  async () => {
    const sandbox = await SandboxProcess.start('--nodes', '1', '--platform', 'GCP')
    await vi.waitFor(() => expect(sandbox.output).toContain('press Ctrl-C to stop'), slow)
    expect(sandbox.output).toMatch(
      /^A Kubernetes cluster with 1 worker node on GCP runs at https:\/\/127\.0\.0\.1:\d+/,
    )
    expect(await readdir(`${sandbox.directory}/.portcullis`)).toEqual(['kubeconfig'])
    sandbox.interrupt()
    expect(await sandbox.ended()).toBe(0)
    expect(await readdir(sandbox.directory)).toEqual([])
  },
)

test('The sandbox shuts down cleanly when its standard output is closed', slow, async () => {
  const sandbox = await SandboxProcess.start('--nodes', '1')
  sandbox.leaveUnread()
  expect(await sandbox.ended()).toBe(0)
  expect(sandbox.output).toBe('')
  expect(await readdir(sandbox.directory)).toEqual([])
})

test('The sandbox shuts down cleanly when Ctrl-C ends the reader of its pipeline too', slow, async () => {
  const sandbox = await SandboxProcess.start('--nodes', '1')
  await vi.waitFor(() => expect(sandbox.output).toContain('press Ctrl-C to stop'), slow)
  sandbox.leaveUnread()
  sandbox.interrupt()
  expect(await sandbox.ended()).toBe(0)
  expect(await readdir(sandbox.directory)).toEqual([])
})

test('The error about a port in use is one line', slow, async () => {
  const other = await startHttpServer(() => {})
  onTestFinished(() => other.close())
  const sandbox = await SandboxProcess.start('--port', other.url.port)
  expect(await sandbox.ended()).toBe(1)
  expect(sandbox.output).toBe(
    `portcullis: Port ${other.url.port} is in use; choose another with --port, or leave the option out.\n`,
  )
})

test('The error about a path that cannot be written is one line', slow, async () => {
  const sandbox = await SandboxProcess.start('--kubeconfig', '/dev/null/kubeconfig')
  expect(await sandbox.ended()).toBe(1)
  expect(sandbox.output).toMatch(
    /^portcullis: Cannot write the kubeconfig to \/dev\/null\/kubeconfig: E(EXIST|NOTDIR).*; specify another path with --kubeconfig\.\n$/,
  )
})
