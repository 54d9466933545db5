import { fileURLToPath } from 'node:url'
import { freePort } from '../free-port.ts'
import type { Workspace } from '../workspace.ts'
import { AwsApi } from './aws-api.ts'

const program = fileURLToPath(new URL('emulator.py', import.meta.url))

/** Starts what plays AWS. It keeps everything in memory: nothing is left when it ends. */
export async function startEmulator(
  workspace: Workspace,
  python: string,
  signal?: AbortSignal,
): Promise<AwsApi> {
  const port = await freePort()
  const api = new AwsApi(`http://127.0.0.1:${port}`)
  const emulator = workspace.launch('moto', python, [program, '--host=127.0.0.1', `--port=${port}`], {
    PYTHONDONTWRITEBYTECODE: '1',
  })
  const answers = () =>
    api.call('ec2', 'DescribeVpcs').then(
      () => true,
      () => false,
    )
  await emulator.ready(answers, signal)
  return api
}
