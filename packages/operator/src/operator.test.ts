import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { createMetrics, systemClock } from '@portcullis/kube'
import { emptyCaches } from '@portcullis/kube/testing'
import { expect, test } from 'vitest'
import { defaultSettings } from './ingress/settings.ts'
import { assembleOperator, operatorReasons } from './operator.ts'

/** Where a reason stands in the code: in a condition, in an event, or as the value of a field. */
const places = [
  /\breason: '(\w+)'/g,
  /\bis\(\s*'(?:True|False|Unknown)',\s*'(\w+)'/g,
  /\bconditionDraft\(\s*[\w']+,\s*'(?:True|False|Unknown)',\s*'(\w+)'/g,
  /\b(?:normal|warning)\(\s*'(\w+)'/g,
  /#warn\(\s*\w+,\s*'(\w+)'/g,
]

async function sources(): Promise<string[]> {
  const texts: string[] = []
  for (const room of ['ingress', 'addresses']) {
    const folder = fileURLToPath(new URL(`./${room}/`, import.meta.url))
    for (const file of await readdir(folder, { recursive: true })) {
      if (!file.endsWith('.ts') || file.endsWith('.test.ts') || file.includes('reasons')) continue
      texts.push(await readFile(`${folder}${file}`, 'utf8'))
    }
  }
  return texts
}

test('Every reason that is given somewhere is explained', async () => {
  const given = (await sources()).flatMap((text) =>
    places.flatMap((place) => [...text.matchAll(place)].flatMap(([, reason]) => reason ?? [])),
  )
  expect(given.length).toBeGreaterThan(60)
  expect(given.filter((reason) => !Object.hasOwn(operatorReasons, reason))).toEqual([])
})

test('Every explained reason is used', async () => {
  const all = (await sources()).join('\n')
  const isSaid = (reason: string) =>
    all.includes(`'${reason}'`) || (reason.endsWith('Deleted') && all.includes(`'${reason.slice(0, -7)}'`))
  expect(Object.keys(operatorReasons).filter((reason) => !isSaid(reason))).toEqual([])
})

test('Every explanation is complete, and names a condition or an event', () => {
  for (const [reason, explanation] of Object.entries(operatorReasons)) {
    const { meaning, cause, remedy, conditions } = explanation
    for (const sentence of [meaning, cause, remedy]) expect(sentence, reason).toMatch(/^[A-Zs`].+\.$/)
    expect(conditions.length > 0 || 'event' in explanation, reason).toBe(true)
  }
})

test('Controllers have their share of the requests in flight, even while addresses are written to many Ingresses', () => {
  const workers = new Map<string, number>()
  assembleOperator({
    manager: {
      watchAll: (table) => emptyCaches(table),
      reconcile: ({ name, workers: count = 4 }) => void workers.set(name, count),
    },
    settings: defaultSettings,
    clock: systemClock,
    metrics: createMetrics('portcullis'),
  })
  expect([...workers.keys()].sort()).toEqual(['addresses', 'ingress'])
  expect(workers.get('ingress')).toBeGreaterThanOrEqual((workers.get('addresses') ?? 0) / 4)
})
