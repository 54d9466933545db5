import { checkInstallConfig, infrastructureFrom } from '@portcullis/onprem'
import { Command, Option } from 'commander'
import type { CommandIO } from '../../io/command-io.ts'
import { readText } from '../../io/read-text.ts'
import { yamlText } from '../../io/yaml-text.ts'
import { parseRelease } from './openshift-version.ts'
import { formats, reportOn } from './report.ts'

interface Options {
  readonly output: 'yaml' | 'json'
  readonly openshiftVersion?: number
}

/** `portcullis install-config infrastructure`: prints the Infrastructure that the cluster will have. */
export function infrastructureCommand(io: CommandIO): Command {
  return new Command('infrastructure')
    .description('print the Infrastructure object that results from an install-config.yaml')
    .argument('<file>', 'the install-config.yaml; - for standard input')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['yaml', 'json']).default('yaml'))
    .option(
      '--openshift-version <version>',
      'the release to install, such as 4.16 (default: the newest)',
      parseRelease,
    )
    .addHelpText(
      'after',
      [
        '',
        'The object has what load balancers depend on: virtual IPs, machine networks and API host names. A file with errors',
        'is rejected, and the errors are listed.',
        '',
        'Exit code: 0 if it is printed, 1 if the file has errors, is incomplete, or cannot be read.',
        '',
        'On a cluster that has the resource, apply spec and status separately: the status is a subresource.',
        '',
        'Example:',
        '  portcullis install-config infrastructure install-config.yaml >infrastructure.yaml',
        '  kubectl apply -f infrastructure.yaml',
        '  kubectl apply --server-side --subresource=status -f infrastructure.yaml',
      ].join('\n'),
    )
    .action((file: string, options: Options) => run(file, options, io))
}

async function run(
  file: string,
  { output, openshiftVersion: release }: Options,
  io: CommandIO,
): Promise<void> {
  const text = await readText(io, file, 'an install-config.yaml')
  const report = reportOn(file, checkInstallConfig(text, { release }), release)
  if (report.errors > 0)
    throw new Error(
      `The install-config has errors, so no Infrastructure is printed.\n${formats.text(report)}`,
    )
  const object = infrastructureFrom(text)
  io.print(output === 'json' ? JSON.stringify(object, null, 2) : yamlText(object))
}
