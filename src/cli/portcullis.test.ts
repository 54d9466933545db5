import { expect, test } from 'vitest'
import { version } from '../../package.json'
import { portcullis } from './portcullis.ts'

function run(...args: string[]): string {
  const output: string[] = []
  const collect = (text: string) => void output.push(text)
  const command = portcullis(collect).exitOverride().configureOutput({ writeOut: collect, writeErr: collect })
  try {
    command.parse(args, { from: 'user' })
  } catch {
    // Commander throws instead of ending the process; what it printed is what counts.
  }
  return output.join('')
}

test('--version prints the version of the package', () => {
  expect(run('--version')).toBe(`${version}\n`)
})

test('--help says what it is', () => {
  expect(run('--help')).toMatch(/^Usage: portcullis \[options\]\n\nPublishes Kubernetes ingress/)
})

test('an unknown option is refused, and where to look is said', () => {
  expect(run('--scope')).toBe("error: unknown option '--scope'\n(portcullis --help lists what there is)\n")
})

test('an argument that means nothing is refused', () => {
  expect(run('bogus')).toMatch(/^error: too many arguments/)
})

test('without arguments it says what is here', () => {
  expect(run()).toContain('npm run control-plane')
})
