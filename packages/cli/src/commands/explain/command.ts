import { nearestName } from '@portcullis/kube'
import { type Explanation, operatorReasons } from '@portcullis/operator'
import { Argument, Command } from 'commander'
import { type Paint, paint } from '../../io/colours.ts'
import type { CommandIO } from '../../io/command-io.ts'
import { inForm, type Output, outputOption } from '../../io/output.ts'
import { table } from '../../io/table.ts'

const reasons: Readonly<Record<string, Explanation>> = operatorReasons

/** `portcullis explain`: explains a reason of a condition or an Event, and the remedy. */
export function explainCommand(io: CommandIO): Command {
  return new Command('explain')
    .description('explain a reason of a condition or an event: its meaning, cause and remedy')
    .addArgument(new Argument('[reason]', 'a reason such as ScopeChanged (default: list all reasons)'))
    .addOption(outputOption())
    .addHelpText(
      'after',
      [
        '',
        'Exit code: 0; 1 if the reason is unknown.',
        '',
        'Examples:',
        '  portcullis explain ScopeChanged',
        '  portcullis explain -o json',
      ].join('\n'),
    )
    .action((reason: string | undefined, { output }: { output: Output }) => {
      const painting = paint(io.colours)
      io.print(reason === undefined ? listAll(output, painting) : explainOne(reason, output, painting))
    })
}

function listAll(output: Output, painting: Paint): string {
  const rows = Object.entries(reasons).sort(([one], [other]) => (one < other ? -1 : 1))
  return inForm(
    output,
    {
      table: ({ wide }) =>
        table(
          ['REASON', 'WHERE', 'MEANING', ...(wide ? ['REMEDY'] : [])],
          rows.map(([name, each]) => [
            name,
            locationText(each),
            each.meaning,
            ...(wide ? [each.remedy] : []),
          ]),
        ),
      data: Object.fromEntries(rows),
      names: rows.map(([name]) => name),
    },
    painting,
  )
}

function explainOne(requested: string, output: Output, painting: Paint): string {
  const name = Object.keys(reasons).find((each) => each.toLowerCase() === requested.toLowerCase())
  const found = name === undefined ? undefined : reasons[name]
  if (name === undefined || found === undefined) throw new Error(unknownReason(requested))
  return inForm(
    output,
    {
      table: ({ paint: { bold } }) =>
        [
          bold(name),
          `  where    ${locationText(found)}`,
          `  meaning  ${found.meaning}`,
          `  cause    ${found.cause}`,
          `  remedy   ${found.remedy}`,
        ].join('\n'),
      data: { reason: name, ...found },
      names: [name],
    },
    painting,
  )
}

function unknownReason(requested: string): string {
  const nearest = nearestName(requested, Object.keys(reasons))
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`
  return `Unknown reason "${requested}".${hint} Run \`portcullis explain\` to list all reasons.`
}

/** The conditions and the type of Event that have the reason. */
export function locationText({ conditions, event }: Explanation): string {
  return [...conditions, ...(event === undefined ? [] : [`event (${event})`])].join(', ')
}
