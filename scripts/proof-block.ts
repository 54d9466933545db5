import { readFile } from 'node:fs/promises'
import { proofs } from '../testing/proof/proofs.ts'
import { readResult } from '../testing/proof/results.ts'
import { withGeneratedBlock } from './generated-block.ts'

/** docs/reliability.md with the figures of the last `npm run proof`. */
export async function reliabilityPage(): Promise<string> {
  const page = await readFile('docs/reliability.md', 'utf8')
  const rows = await Promise.all(proofs.map(rowOf))
  const table = ['| what is proved | figures | how to see it |', '|---|---|---|', ...rows].join('\n')
  return withGeneratedBlock(page, 'proof', table)
}

async function rowOf({ name, claim }: (typeof proofs)[number]): Promise<string> {
  const result = await readResult(name)
  const command = `\`npm run proof -- ${name}\``
  if (result === undefined) return `| ${claim} | not played yet | ${command} |`
  const { figures, on, minutes, cores, node } = result
  const cells = figures.map((figure) => figure.replaceAll('|', '\\|')).join('<br>')
  return `| ${claim} | ${cells} | ${command} (${on}, ${minutes} minutes on ${cores} cores, Node ${node.slice(1)}) |`
}
