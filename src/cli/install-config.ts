import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { Command, InvalidArgumentError, Option } from 'commander'
import { checkInstallConfig } from '../onprem/install-config/check.ts'
import { type Format, formats, type Report } from './install-config-report.ts'

interface Options {
  readonly output: Format
  readonly strict: boolean
  readonly openshiftVersion?: number
}

/** What the command touches of the process that it runs in. */
interface Process {
  readonly stdin: AsyncIterable<Uint8Array>
  exitCode?: number | string | null | undefined
}

/** `portcullis install-config`: what can be known of an installation before it begins. */
export function installConfigCommand(print: (text: string) => void, process: Process): Command {
  const validate = new Command('validate')
    .description('find what is wrong with load balancer, virtual IPs and networks of an install-config.yaml')
    .argument('<file>', 'the install-config.yaml; - reads standard input')
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
      'the release to be installed, such as 4.16; the newest when not given',
      parseRelease,
    )
    .addHelpText(
      'after',
      [
        '',
        'Exit code: 0 if there are no errors, 1 if there are some, or the file cannot be read.',
        '',
        'Examples:',
        '  portcullis install-config validate install-config.yaml',
        '  portcullis install-config validate --strict -o github install-config.yaml',
      ].join('\n'),
    )
    .action((file: string, options: Options) => run(file, options, print, process))
  return new Command('install-config')
    .description('check an install-config.yaml before OpenShift is installed on your own premises')
    .addCommand(validate)
}

async function run(
  file: string,
  { output, strict, openshiftVersion: release }: Options,
  print: (text: string) => void,
  process: Process,
): Promise<void> {
  const findings = checkInstallConfig(await read(file, process), { release })
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const report: Report = { file, findings, errors, warnings: findings.length - errors, release }
  const text = formats[output](report)
  if (text !== '') print(text)
  if (errors > 0 || (strict && findings.length > 0)) process.exitCode = 1
}

async function read(file: string, { stdin }: Process): Promise<string> {
  let bytes: Uint8Array
  try {
    bytes = file === '-' ? await buffer(stdin) : await readFile(file)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason = {
      ENOENT: 'there is no such file',
      EISDIR: 'it is a directory',
      EACCES: 'you may not read it',
    }[code ?? '']
    throw new Error(
      `Cannot read ${file}: ${reason ?? message}; name an install-config.yaml, or - for standard input.`,
      {
        cause: error,
      },
    )
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new Error(`Cannot read ${file}: it is not text in UTF-8; name an install-config.yaml.`, {
      cause: error,
    })
  }
}

function parseRelease(text: string): number {
  const [, minor] = /^v?4\.(\d{1,3})(?:\.\S+)?$/.exec(text) ?? []
  if (minor === undefined) throw new InvalidArgumentError('It must be a release such as 4.16 or 4.16.3.')
  return Number(minor)
}
