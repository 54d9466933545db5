import { defaultSettings, quoted } from '@portcullis/operator'
import { type Command, Option } from 'commander'
import type { ClusterChoice } from './connect.ts'

/** The options that select the cluster; they can stand before the command or after it. */
export interface ClusterOptions extends ClusterChoice {
  /** The namespace of the IngressControllers. */
  readonly namespace: string
}

const options = [
  new Option('--kubeconfig <file>', 'path of the kubeconfig (default: found as kubectl finds it)'),
  new Option('--context <name>', 'context of the kubeconfig'),
  new Option(
    '-n, --namespace <name>',
    `the namespace of the IngressControllers (default: ${defaultSettings.operatorNamespace})`,
  ),
]

export function addClusterOptions(command: Command): Command {
  for (const option of options) command.addOption(option)
  return command
}

/**
 * Passes cluster options that stand before a command to the command, and refuses them if the command does not have them.
 * They are not for `sandbox`, whose --kubeconfig is a file to write.
 */
export function passClusterOptions(root: Command, command: Command): void {
  for (const option of options) {
    const name = option.attributeName()
    if (root.getOptionValueSource(name) !== 'cli' || command.name().startsWith('__')) continue
    const own = command.name() === 'sandbox' ? undefined : ownNameOf(name, command)
    if (own === undefined)
      throw new Error(`"portcullis ${command.name()}" has no option ${option.long}; leave it out.`)
    if (command.getOptionValueSource(own) !== 'cli')
      command.setOptionValueWithSource(own, root.getOptionValue(name), 'cli')
  }
}

function ownNameOf(name: string, command: Command): string | undefined {
  const known = command.options.map((option) => option.attributeName())
  return [name, ...(name === 'namespace' ? ['operatorNamespace'] : [])].find((each) => known.includes(each))
}

/** An option after the command takes precedence over one before it. */
export function clusterOptions(command: Command): ClusterOptions {
  const given = {
    ...command.parent?.opts<Partial<ClusterOptions>>(),
    ...command.opts<Partial<ClusterOptions>>(),
  }
  const { kubeconfig, context, namespace = defaultSettings.operatorNamespace } = given
  return {
    namespace,
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(context !== undefined && { context }),
  }
}

/** The same options again, for a command that we ask users to run: it must not reach another cluster. */
export function clusterFlags({ kubeconfig, context, namespace }: ClusterOptions): string {
  return [
    ...(kubeconfig === undefined ? [] : [` --kubeconfig ${quoted(kubeconfig)}`]),
    ...(context === undefined ? [] : [` --context ${quoted(context)}`]),
    ...(namespace === defaultSettings.operatorNamespace ? [] : [` -n ${quoted(namespace)}`]),
  ].join('')
}
