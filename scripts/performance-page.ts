import { readFile } from 'node:fs/promises'
import type { Growth, Row } from '../bench/table.ts'

/** What `npm run bench` has written about one benchmark. */
interface Result {
  readonly at: string
  readonly node: string
  readonly cores: number
  readonly rows: readonly Row[]
  readonly growth?: Growth
}

/** Each benchmark, and what is to be known about it. */
const benchmarks: readonly { readonly name: string; readonly title: string; readonly text: string }[] = [
  {
    name: 'addresses',
    title: 'Telling every Ingress its address',
    text: 'The address writer of the operator, as a process that has just started ("cold") and when addresses change, against a bare loop that sends a PATCH to each Ingress, knows their names beforehand and does nothing else, at the concurrency at which it is fastest. Both open their connections inside the clock.',
  },
  {
    name: 'hand-over',
    title: 'Hand-over',
    text: 'From the signal that ends the leader to the address of an Ingress that was created as soon as it had ended. A second operator stands by.',
  },
  {
    name: 'scope',
    title: 'A change of scope in place',
    text: 'From the PATCH of the IngressController to the annotation of its Service, as a watch shows it. It takes two PATCHes, one after the other; that of a custom resource alone takes longer than that of a Service. The API server takes nearly all of the time, and decides whether the bar is met ([why](decisions/008-what-a-scope-change-costs.md)).',
  },
  {
    name: 'controllers',
    title: 'Many controllers at once',
    text: 'Private controllers, until all are admitted and have their Deployments, against a bare client that creates the same objects, whose bodies it is given. Both begin once the API server no longer delays creations, as it does for two seconds after a kind was defined. What is asked of the API server is counted from its audit log.',
  },
  {
    name: 'idle',
    title: 'A start, and nothing to do',
    text: 'The built operator with the flags of the image. When it starts, one Ingress has no address yet; all else is right.',
  },
  {
    name: 'kube',
    title: 'The client',
    text: 'The client and the watch on which all of it rests, against bare loops and against the usual library, which is bound by its own processor time where ours waits for the API server: so the ratio depends on how fast a machine runs the API server against JavaScript. It was between 2.8 and 3.6 on several, and some fail the bar.',
  },
  {
    name: 'sandbox',
    title: 'The sandbox',
    text: 'The API server of the sandbox, without operator and nodes, against the real one.',
  },
]

/** The page of figures, made from what the benchmarks have written. */
export async function performancePage(): Promise<string> {
  const sections = await Promise.all(benchmarks.map(sectionOf))
  return [
    '# Performance',
    '',
    'Each figure is a ratio of two runs next to each other, on the same machine and the same real API server, which shares',
    'its cores with its clients. `npm run bench` measures all of it again in about half an hour, the operator on the Node that',
    'its image has and the rest on the one that is installed; each part says on which it was measured last.',
    '`npm run bench -- addresses` measures one part. A ratio above 1 is better than what it is compared with; where there',
    'is a bar, the run fails below it. Where runs were made in several pairs, the ratio is the median of the ratios of the pairs, and',
    'the figures beside it are medians of their own: one does not follow from the other by division. Figures of others are',
    'from their documentation or from separate runs on a machine like this one, and are labelled "reference". This page is',
    'generated: `npm run generate`.',
    '',
    ...sections.flat(),
  ].join('\n')
}

async function sectionOf({ name, title, text }: (typeof benchmarks)[number]): Promise<string[]> {
  const result = await resultOf(name)
  if (result === undefined) return []
  const { at, node, cores, rows, growth } = result
  return [
    `## ${title}`,
    '',
    text,
    '',
    `    npm run bench -- ${name}      # measured ${at.slice(0, 10)}, ${countOf(cores)}, Node ${node.slice(1)}`,
    '',
    '| what | Portcullis | against | ratio | bar |',
    '|---|---|---|---|---|',
    ...rows.map(
      (row) =>
        `| ${row.name.trim()} | ${row.ours} | ${row.theirs} | ${row.ratio.toFixed(2)} | ${barOf(row)} |`,
    ),
    '',
    ...(growth === undefined ? [] : ['How it grows:', '', ...tableOf(growth), '']),
  ]
}

async function resultOf(name: string): Promise<Result | undefined> {
  const text = await readFile(`bench/results/${name}.json`, 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as Result)
}

const countOf = (cores: number) => (cores === 2 ? 'two cores' : `${cores} cores`)

function barOf({ ratio, bar }: Row): string {
  if (bar === undefined) return ''
  return `≥ ${Number(bar.toFixed(2))}${ratio < bar ? ', missed' : ''}`
}

function tableOf({ columns, rows }: Growth): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)]
}
