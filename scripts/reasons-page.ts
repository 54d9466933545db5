import { locationText } from '@portcullis/cli/internal/commands/explain/command.ts'
import { type Explanation, operatorReasons } from '@portcullis/operator'

/** The reference page of all reasons, made from the table that `portcullis explain` reads. */
export function reasonsPage(): string {
  const reasons: [string, Explanation][] = Object.entries(operatorReasons)
  const sections = reasons
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, { meaning, cause, remedy, ...where }]) =>
      [
        `## ${name}`,
        '',
        locationText(where as Explanation),
        '',
        `- Meaning: ${meaning}`,
        `- Cause: ${cause}`,
        `- Remedy: ${remedy}`,
        '',
      ].join('\n'),
    )
  return [
    '# Reasons',
    '',
    'Every reason that Portcullis gives in a condition of an IngressController or in an event; `portcullis explain REASON`',
    'prints the same. This page is generated: `npm run generate`.',
    '',
    ...sections,
  ].join('\n')
}
