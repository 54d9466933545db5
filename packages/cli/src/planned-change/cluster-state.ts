import type { KubeApi, Persisted } from '@portcullis/kube'
import {
  type AddressSettings,
  addressSettingsOf,
  type IngressControllerObject as Controller,
  findCommandLine,
  IngressController,
  type ListedObjects,
  listObjects,
  operatorConfiguration,
  platforms,
  type Settings,
  settingsInUse,
} from '@portcullis/operator'
import type { Command } from 'commander'
import { Option } from 'commander'
import { readConfiguration } from '../settings/configuration.ts'
import { settingsOf } from '../settings/operator-settings.ts'

/** Everything that a plan is computed from, except the change. */
export interface ClusterState {
  readonly settings: Settings
  readonly addresses: AddressSettings
  readonly objects: ListedObjects
  readonly controllers: readonly Persisted<Controller>[]
}

/** The settings of the operator that cannot be detected from the objects that it has written. */
export function addOperatorOptions(command: Command): Command {
  return command
    .option('--config <file>', 'the configuration file of the operator, if it has one')
    .addOption(
      new Option(
        '--platform <name>',
        'platform of the cluster if neither the Infrastructure nor the nodes name it, as set for the operator',
      ).choices(platforms.map(({ name }) => name)),
    )
    .option(
      '--operand-namespace <name>',
      'the namespace of the routers and their Services (default: openshift-ingress)',
    )
}

/** Lists what the operator watches; nothing is written. */
export async function loadClusterState(
  client: Pick<KubeApi, 'list' | 'get'>,
  command: Command,
  namespace: string,
  signal?: AbortSignal,
): Promise<ClusterState> {
  const { config } = command.opts<{ config?: string }>()
  const { configuration } = await readConfiguration(operatorConfiguration, config, command)
  const commandLine = configuration.commandLine ?? (await findCommandLine(client))
  const configured = { ...settingsOf(configuration, commandLine), operatorNamespace: namespace }
  const objects = await listObjects(client, configured, signal)
  return {
    settings: config === undefined ? settingsInUse(configured, objects) : configured,
    addresses: { ...addressSettingsOf(configuration), controllerNamespace: namespace },
    objects,
    controllers: objects[IngressController.kind] ?? [],
  }
}
