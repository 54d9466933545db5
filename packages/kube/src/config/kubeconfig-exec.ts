import { sep } from 'node:path'
import { type ExecPlugin, type InteractiveMode, interactiveModes, pluginApiVersions } from './exec-plugin.ts'
import type { Fields } from './kubeconfig-fields.ts'
import { resolveBesideFile } from './pem-source.ts'

/** The `exec` stanza of a user: the program that hands out credentials. */
export function readExec(fields: Fields): ExecPlugin | undefined {
  const command = readCommand(fields)
  const apiVersion = readApiVersion(fields)
  const interactiveMode = readInteractiveMode(fields, apiVersion)
  const args = fields.texts('args')
  const env = readEnv(fields)
  const installHint = fields.text('installHint')
  const provideClusterInfo = fields.flag('provideClusterInfo')
  if (command === undefined || apiVersion === undefined || interactiveMode === undefined) return undefined
  return {
    location: fields.location,
    command,
    args,
    env,
    apiVersion,
    interactiveMode,
    provideClusterInfo,
    ...(installHint !== undefined && { installHint }),
  }
}

/** A bare name is looked up on PATH; anything with a separator is a path, relative to the kubeconfig. */
function readCommand(fields: Fields): string | undefined {
  const command = fields.text('command')
  if (command === undefined) {
    fields.problem('command', 'is missing; name the program that prints the credentials')
    return undefined
  }
  return command.includes('/') || command.includes(sep)
    ? resolveBesideFile(fields.location, command)
    : command
}

function readApiVersion(fields: Fields): string | undefined {
  const apiVersion = fields.text('apiVersion')
  if (apiVersion !== undefined && pluginApiVersions.includes(apiVersion)) return apiVersion
  fields.problem('apiVersion', apiVersionProblem(apiVersion))
  return undefined
}

function apiVersionProblem(apiVersion: string | undefined): string {
  const advice = `write ${pluginApiVersions[0]} if the plugin speaks it`
  if (apiVersion === undefined) return `is missing; ${advice}`
  if (apiVersion === 'client.authentication.k8s.io/v1alpha1') {
    return `is "${apiVersion}", which Kubernetes removed in 1.24; ${advice}, else update the plugin`
  }
  return `is "${apiVersion}", but only ${pluginApiVersions.join(' and ')} are known; ${advice}`
}

/** v1 made the field mandatory; in v1beta1 it may be left out. */
function readInteractiveMode(fields: Fields, apiVersion: string | undefined): InteractiveMode | undefined {
  const written = fields.text('interactiveMode')
  const mode = interactiveModes.find((known) => known === written)
  if (mode !== undefined) return mode
  if (written === undefined && apiVersion !== pluginApiVersions[0]) return 'IfAvailable'
  const advice = 'it must be Never, IfAvailable or Always'
  fields.problem(
    'interactiveMode',
    written === undefined ? `is missing; ${advice}` : `is "${written}"; ${advice}`,
  )
  return undefined
}

function readEnv(fields: Fields): Record<string, string> {
  const env: Record<string, string> = {}
  for (const variable of fields.mappings('env')) {
    const name = variable.text('name')
    if (name === undefined) variable.problem('name', 'is missing; name the environment variable')
    else env[name] = variable.text('value') ?? ''
  }
  return env
}
