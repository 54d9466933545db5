import { execFile, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { completionScripts } from '@portcullis/cli/internal/commands/completion/scripts.ts'
import { cliOnPath } from '@portcullis/cli/internal/testing/cli-on-path.ts'
import { IngressController } from '@portcullis/operator'
import { beforeAll, expect, test } from 'vitest'
import { sharedControlPlane } from '../clusters/shared-control-plane.ts'
import { adminAccess, connect, freshNamespace } from '../clusters/test-client.ts'
import { install as installKinds } from '../e2e/install.ts'

const run = promisify(execFile)

beforeAll(() => install('zsh', 'fish'), 300_000)

/** From Debian's packages, where they are missing. */
function install(...programs: string[]): void {
  const missing = programs.filter((program) => spawnSync(program, ['--version']).error !== undefined)
  if (missing.length === 0) return
  const apt = (...args: string[]) => spawnSync('apt-get', args, { encoding: 'utf8' })
  const installing = ['install', '-y', '--no-install-recommends', ...missing]
  if (apt(...installing).status === 0) return
  apt('update')
  const { status, stderr } = apt(...installing)
  if (status !== 0) throw new Error(`Cannot install ${missing.join(' and ')}: ${stderr}`)
}

async function prepare(shell: 'zsh' | 'fish') {
  const path = await cliOnPath('portcullis')
  const script = join(path, `completion.${shell}`)
  await writeFile(script, completionScripts[shell])
  const { kubeconfigPath } = sharedControlPlane()
  return {
    script,
    env: { ...process.env, PATH: `${path}:${process.env['PATH']}`, KUBECONFIG: kubeconfigPath },
  }
}

test('fish completes commands, values and files', async () => {
  const { script, env } = await prepare('fish')
  const offered = async (line: string) => {
    const { stdout } = await run('fish', ['--no-config', '-c', `source '${script}'; complete -C '${line}'`], {
      env,
    })
    return stdout.split('\n').flatMap((each) => each.split('\t')[0] || [])
  }
  expect(await offered('portcullis sco')).toEqual(['scope'])
  expect(await offered('portcullis plan default --scope ')).toEqual(['External', 'Internal'])
  expect(await offered(`portcullis plan -f ${script.slice(0, -2)}`)).toEqual([script])
})

test('zsh completes what is typed at its prompt', async () => {
  const { script, env } = await prepare('zsh')
  // A shell in a terminal of its own, in which TAB is pressed; Ctrl-X prints what then stands on the line.
  const driver = `
    zmodload zsh/zpty
    zpty driven zsh -f -i
    zpty -w driven "PS1= ; autoload -U compinit; compinit -u -D; source '${script}'; tell() { print -r -- \\"<<\\$BUFFER>>\\"; BUFFER= }; zle -N tell; bindkey '^X' tell; echo RE''ADY"
    zpty -r -m driven line '*READY*'
    zpty -w -n driven $'portcullis sco\\t'
    zpty -w -n driven $'default Int\\t'
    zpty -w -n driven $'\\x18'
    zpty -r -m driven line '*<<*>>*'
    print -r -- "$line"
    zpty -d driven`
  const { stdout } = await run('zsh', ['-f', '-c', driver], { env, timeout: 110_000 })
  expect(stdout).toContain('<<portcullis scope default Internal >>')
})

test('Real kubectl finds the plugin, and completes it with names from the cluster', async () => {
  const plane = sharedControlPlane()
  const client = connect(await adminAccess(plane))
  await installKinds(client)
  const namespace = await freshNamespace(client)
  await client.create(IngressController, {
    metadata: { namespace, name: 'edge' },
    spec: { domain: 'edge.example' },
  })
  const path = await cliOnPath('kubectl-portcullis', 'kubectl_complete-portcullis')
  const env = { ...process.env, PATH: `${path}:${process.env['PATH']}`, KUBECONFIG: plane.kubeconfigPath }
  const kubectl = async (...args: string[]) => (await run(plane.binaries.kubectl, args, { env })).stdout
  expect(await kubectl('portcullis', 'status', '-n', namespace, '-o', 'name')).toBe(
    'ingresscontroller.operator.openshift.io/edge\n',
  )
  expect(await kubectl('__complete', 'portcullis', '-n', namespace, 'status', 'e')).toMatch(/^edge\t.*\n:4\n/)
})
