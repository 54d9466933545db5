import { describe, expect, test } from 'vitest'
import { missingAnchors, missingPaths } from './doc-links.ts'

describe('A path that a page names', () => {
  const missing = (text: string, path = 'docs/page.md') =>
    missingPaths({ path, text }, (each) => ['docs/other.md', 'packages/kube/src/watch.ts'].includes(each))

  test.each([
    'Read `packages/kube/src/watch.ts`, or `packages/kube/src/watch.ts:12-20`.',
    'Run `npx vitest run --project unit packages/kube/src/watch.ts`.',
    'Each `packages/NAME/src/index.ts` and `packages/*/package.json` is one of many.',
    'The `scripts` are no path, [another page](other.md#part) is there, and https://example.org/docs is elsewhere.',
    'See [that site](https://example.org/docs/gone.md) and [below](#part).',
  ])('A path that a page names may be written thus: %s', (text) => {
    expect(missing(text)).toEqual([])
  })

  test.each([
    ['Read `packages/kube/src/gone.ts`.', 'packages/kube/src/gone.ts'],
    ['Run `npx tsx scripts/gone.ts`.', 'scripts/gone.ts'],
    ['Read [this](gone.md).', 'docs/gone.md'],
    ['Read [this](../GONE.md#part).', 'GONE.md'],
  ])('A path that a page names is reported when it does not exist: %s', (text, path) => {
    expect(missing(text)).toEqual([`docs/page.md names ${path}, which does not exist.`])
  })
})

test('The README of a package names the files of that package', () => {
  const page = { path: 'packages/kube/README.md', text: 'Start with `src/watch.ts`, then `src/gone.ts`.' }
  expect(missingPaths(page, (each) => each === 'packages/kube/src/watch.ts')).toEqual([
    'packages/kube/README.md names packages/kube/src/gone.ts, which does not exist.',
  ])
})

describe('A heading that a page links to', () => {
  const page = (path: string, text: string) => ({ path, text })
  const other = page(
    'docs/other.md',
    '# The `plan`, [a copy](x.md) & more\n\n```\n# no heading\n```\n<a id="kept"></a>\n',
  )
  const missing = (link: string) => missingAnchors([page('README.md', `# Top\n\n[text](${link})`), other])

  test.each(['docs/other.md#the-plan-a-copy--more', 'docs/other.md#kept', '#top', 'https://example.org/#x'])(
    'A heading that a page links to is found: %s',
    (link) => {
      expect(missing(link)).toEqual([])
    },
  )

  test.each([
    ['docs/other.md#no-heading', 'docs/other.md#no-heading'],
    ['#bottom', 'README.md#bottom'],
  ])('A heading that a page links to is reported when it is not there: %s', (link, target) => {
    expect(missing(link)).toEqual([`README.md links to ${target}, and there is no such heading.`])
  })
})
