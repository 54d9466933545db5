import { expect, it } from 'vitest'
import {
  type ConfigLocation,
  describeLocation,
  fieldOf,
  itemOf,
  KubeconfigError,
  Problems,
} from './kubeconfig-error.ts'

const file: ConfigLocation = { source: '/home/ann/.kube/config' }

it.each([
  { location: file, reads: '/home/ann/.kube/config' },
  { location: { ...file, owner: 'user "ann"' }, reads: '/home/ann/.kube/config (user "ann")' },
  { location: itemOf(file, 0), reads: '/home/ann/.kube/config: [0]' },
  { location: fieldOf(file, 'users'), reads: '/home/ann/.kube/config: users' },
  { location: itemOf(fieldOf(file, 'users'), 2), reads: '/home/ann/.kube/config: users[2]' },
  {
    location: fieldOf({ ...itemOf(fieldOf(file, 'users'), 2), owner: 'user "ann"' }, 'user'),
    reads: '/home/ann/.kube/config: users[2].user (user "ann")',
  },
])('The location of a problem reads as "$reads"', ({ location, reads }) =>
  expect(describeLocation(location)).toBe(reads),
)

it('The problems of a kubeconfig are one sentence if there is one, and a list if there are several', () => {
  const problems = new Problems()
  problems.throwIfAny()
  problems.add(fieldOf(file, 'users'), 'must be a list')
  const first = '/home/ann/.kube/config: users: must be a list'
  expect(() => problems.throwIfAny()).toThrow(new KubeconfigError([first]))
  expect(new KubeconfigError([first]).message).toBe(first)
  problems.addError(new KubeconfigError(['a', 'b']))
  expect(() => problems.throwIfAny()).toThrow(
    `The kubeconfig cannot be used; 3 things are wrong:\n- ${first}\n- a\n- b`,
  )
})

it('A KubeconfigError keeps its problems apart, and has a name of its own', () => {
  const error = new KubeconfigError(['a', 'b'], { cause: 'c' })
  expect(error).toMatchObject({ name: 'KubeconfigError', problems: ['a', 'b'], cause: 'c' })
})

it('The problems of a kubeconfig are not mixed with errors of another kind: those are thrown on', () => {
  const bug = new TypeError('x is not a function')
  expect(() => new Problems().addError(bug)).toThrow(bug)
})

it('A kubeconfig with problems is not used', () => {
  const problems = new Problems()
  expect(problems.unlessAny('read')).toBe('read')
  expect(() => problems.unlessAny(undefined)).toThrow(KubeconfigError)
  problems.add(file, 'is empty')
  expect(() => problems.unlessAny('read')).toThrow(`${file.source}: is empty`)
})
