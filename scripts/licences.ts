import { readdirSync, readFileSync } from 'node:fs'
import { type LockedPackage, lockedPackages } from './locked-packages.ts'

/** All that may come with the program: permission for everything, as long as the text comes along. */
const allowed = new Set(['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD'])
/** Tools may ask for their own changed files besides: nobody changes them, and they are not shipped. */
const allowedForTools = new Set([...allowed, 'MIT OR Apache-2.0', 'MPL-2.0'])

/** A sentence for each package whose licence is not in the list. */
export function licenceProblems(packages: readonly LockedPackage[]): string[] {
  return packages.flatMap(({ name, version, license, isShipped }) => {
    if (license === undefined && !isShipped) return []
    if (license !== undefined && (isShipped ? allowed : allowedForTools).has(license)) return []
    return `${name} ${version} is under ${license ?? 'a licence that it does not name'}, which is not in the list of scripts/licences.ts: find another package, or have the licence judged and add it.`
  })
}

/** The licences of everything that comes with the program, with their texts: most of them ask for that. */
export function licencesPage(): string {
  const shipped = lockedPackages().filter(({ isShipped, path }) => isShipped && path !== '')
  const texts = new Map<string, LockedPackage[]>()
  for (const each of shipped) {
    const text = licenceText(each)
    texts.set(text, [...(texts.get(text) ?? []), each])
  }
  return [
    '# Licences of what comes with the program',
    '',
    'Portcullis itself is under the Apache License 2.0 ([LICENSE](../LICENSE)). This page is generated: `npm run generate`.',
    '',
    '| package | version | licence |',
    '|---|---|---|',
    ...shipped.map(({ name, version, license }) => `| ${name} | ${version} | ${license} |`),
    ...[...texts].flatMap(([text, packages]) => [
      '',
      `## ${packages.map(({ name, version }) => `${name} ${version}`).join(', ')}`,
      '',
      '```text',
      text,
      '```',
    ]),
    '',
  ].join('\n')
}

function licenceText({ path, license }: LockedPackage): string {
  const files = readdirSync(path).filter((file) => /^(licen[cs]e|notice|copyrightnotice)/i.test(file))
  if (files.length === 0) return `${license} (the package brings no text of its own)`
  const texts = files.toSorted().map((file) => readFileSync(`${path}/${file}`, 'utf8'))
  return texts
    .map((text) =>
      text
        .replaceAll('\r\n', '\n')
        .replaceAll(/[ \t]+$/gm, '')
        .trim(),
    )
    .join('\n\n')
    .replaceAll('```', "'''")
}
