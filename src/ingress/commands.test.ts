import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { Commands, commandsIn } from './commands.ts'
import { defaultSettings } from './settings.ts'

const commands = new Commands({ ...defaultSettings, commandLine: 'oc' })

/** The words that a shell makes of it. */
const words = (command: string) =>
  execFileSync('sh', ['-c', `printf '%s\\n' ${command}`], { encoding: 'utf8' })
    .trimEnd()
    .split('\n')

test('a patch comes through a shell as it was meant, quotes and all', () => {
  const strategy = { type: 'LoadBalancerService', loadBalancer: { note: `it's "so" $HOME` } }
  expect(words(commands.patchController('edge', strategy))).toEqual([
    'oc',
    '-n',
    'openshift-ingress-operator',
    'patch',
    'ingresscontrollers/edge',
    '--type=merge',
    `--patch=${JSON.stringify({ spec: { endpointPublishingStrategy: strategy } })}`,
  ])
})

test('an annotation is set over what is there, or removed', () => {
  expect(words(commands.annotateService('router-edge', 'a/b', 'x y'))).toEqual(
    'oc|-n|openshift-ingress|annotate|svc/router-edge|a/b=x y|--overwrite'.split('|'),
  )
  expect(commands.annotateService('router-edge', 'a/b', 'true')).toBe(
    'oc -n openshift-ingress annotate svc/router-edge a/b=true --overwrite',
  )
  expect(commands.annotateService('router-edge', 'a/b', undefined)).toBe(
    'oc -n openshift-ingress annotate svc/router-edge a/b-',
  )
})

test('deleting and labelling name the real objects', () => {
  expect(commands.deleteService('router-edge')).toBe('oc -n openshift-ingress delete svc/router-edge')
  expect(commands.labelObject('svc', 'router-edge', 'a=b')).toBe(
    'oc -n openshift-ingress label svc/router-edge a=b',
  )
})

test('whatever stands in a name, it is one word of the command and nothing else', () => {
  const evil = `x; rm -rf "$HOME" 'y' \`z\``
  const odd = new Commands({ ...defaultSettings, operatorNamespace: evil, operandNamespace: evil })
  expect(words(odd.deleteService(evil))).toEqual(['kubectl', '-n', evil, 'delete', `svc/${evil}`])
  expect(words(odd.annotateService(evil, evil, evil)).slice(4)).toEqual([
    `svc/${evil}`,
    `${evil}=${evil}`,
    '--overwrite',
  ])
  expect(words(odd.labelObject('svc', evil, evil)).slice(4)).toEqual([`svc/${evil}`, evil])
  expect(words(odd.patchController(evil, {})).slice(2, 5)).toEqual([
    evil,
    'patch',
    `ingresscontrollers/${evil}`,
  ])
})

test('the commands in a message are found again', () => {
  expect(commandsIn('Do `a b`, or  `c`.')).toEqual(['a b', 'c'])
  expect(commandsIn(undefined)).toEqual([])
})
