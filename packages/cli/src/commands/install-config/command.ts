import { ask, byPosition, checkInstallConfig, checkOnline } from '@portcullis/onprem'
import { Command, Option } from 'commander'
import type { CommandIO } from '../../io/command-io.ts'
import { readText } from '../../io/read-text.ts'
import { type OnlineOptions, onlineOptions } from '../../options/dns-options.ts'
import { infrastructureCommand } from './infrastructure.ts'
import { parseRelease } from './openshift-version.ts'
import { type Format, formats, reportOn } from './report.ts'

interface Options extends OnlineOptions {
  readonly online: boolean
  readonly output: Format
  readonly strict: boolean
  readonly openshiftVersion?: number
}

/** `portcullis install-config`: checks an install-config before the installation, and prints the Infrastructure. */
export function installConfigCommand(io: CommandIO): Command {
  const validate = new Command('validate')
    .description('check the load balancer, virtual IPs and networks of an install-config.yaml')
    .argument('<file>', 'the install-config.yaml; - for standard input')
    .addOption(
      new Option(
        '-o, --output <format>',
        'text for people, json for programs, github for annotations of a workflow',
      )
        .choices(Object.keys(formats))
        .default('text'),
    )
    .option('--strict', 'exit with 1 for warnings too', false)
    .option(
      '--openshift-version <version>',
      'the release to install, such as 4.16 (default: the newest)',
      parseRelease,
    )
    .option('--online', 'also look up the names of the cluster in DNS', false)
  for (const option of onlineOptions()) validate.addOption(option)
  validate
    .addHelpText(
      'after',
      [
        '',
        'Exit code: 0 if there are no errors, 1 if there are errors or the file cannot be read.',
        '',
        'Examples:',
        '  portcullis install-config validate install-config.yaml',
        '  portcullis install-config validate --strict -o github install-config.yaml',
        '  portcullis install-config validate --online --resolver 192.0.2.53 install-config.yaml',
      ].join('\n'),
    )
    .action((file: string, options: Options) => run(file, options, io))
  return new Command('install-config')
    .description('check an install-config.yaml before installing OpenShift on premises')
    .addCommand(validate)
    .addCommand(infrastructureCommand(io))
}

async function run(
  file: string,
  { output, strict, openshiftVersion: release, online, ...dns }: Options,
  io: CommandIO,
): Promise<void> {
  const text = await readText(io, file, 'an install-config.yaml')
  const findings = checkInstallConfig(text, { release })
  if (online) findings.push(...(await lookUp(text, dns, io)))
  const report = reportOn(file, findings.sort(byPosition), release)
  const written = formats[output](report)
  if (written !== '') io.print(written)
  if (report.errors > 0 || (strict && report.findings.length > 0)) io.exitWith(1)
}

function lookUp(text: string, { resolver: resolvers, dnsTimeout: timeoutMs }: OnlineOptions, io: CommandIO) {
  const { signal } = new AbortController()
  return checkOnline(text, {
    ask: (names) => ask(names, { resolvers, timeoutMs, signal }),
    random: io.random,
  })
}
