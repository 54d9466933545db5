import { expect, it } from 'vitest'
import { type Assignment, IngressAssignments } from './ingress-assignments.ts'
import type { Belonging } from './ingress-class.ts'
import type { Selection } from './shard.ts'

const key = 'shop/web'
const edge = { to: 'edge' }
const selected: Selection = { is: 'selected' }
const unknown: Selection = { is: 'unknown' }
const excluded: Selection = { is: 'excluded', by: 'routeSelector' }

function inATerm(): IngressAssignments {
  const assignments = new IngressAssignments()
  assignments.beginTerm()
  return assignments
}

/** How an Ingress is assigned, once that is noted. */
function noted(
  assignments: IngressAssignments,
  ...[key, belonging, selection, now]: Parameters<IngressAssignments['of']>
): Assignment {
  const assignment = assignments.of(key, belonging, selection, now)
  assignments.note(key, assignment)
  return assignment
}

it('To ask how an Ingress is assigned notes nothing', () => {
  const assignments = inATerm()
  noted(assignments, key, edge, selected, 1)
  for (let times = 0; times < 2; times++)
    expect(assignments.of(key, { to: 'other' }, selected, 2)).toMatchObject({ since: 2 })
  expect(assignments.of(key, { to: 'other' }, selected, 3)).toMatchObject({ since: 3 })
  expect(assignments.of(key, edge, selected, 3).since).toBeUndefined()
})

it.each<[string, Belonging, Selection, number | undefined]>([
  ['selected by its controller', edge, selected, undefined],
  ['whose namespace is not known yet', edge, unknown, undefined],
  ['of others', 'others', unknown, undefined],
  ['of another installation', 'otherInstance', unknown, undefined],
  ['of a class that does not exist', 'unknown', unknown, 5],
  ['excluded by its controller', edge, excluded, 5],
])('An Ingress %s is assigned so, when first observed, since %s %s %s', (_, belonging, selection, since) => {
  expect(noted(inATerm(), key, belonging, selection, 5).since).toBe(since)
})

it('An Ingress that moves to another controller, or is excluded, is assigned so from then on, however often it is observed', () => {
  const assignments = inATerm()
  noted(assignments, key, edge, selected, 1)
  expect(noted(assignments, key, { to: 'other' }, selected, 2).since).toBe(2)
  expect(noted(assignments, key, { to: 'other' }, selected, 3).since).toBe(2)
  expect(noted(assignments, key, { to: 'other' }, excluded, 4).since).toBe(4)
  expect(noted(assignments, key, { to: 'other' }, excluded, 5).since).toBe(4)
  expect(noted(assignments, key, { to: 'other' }, selected, 6).since).toBe(6)
})

it('An Ingress whose labels become known keeps the time since which it has been assigned', () => {
  const assignments = inATerm()
  noted(assignments, key, 'others', unknown, 1)
  expect(noted(assignments, key, edge, unknown, 2).since).toBe(2)
  expect(noted(assignments, key, edge, selected, 3).since).toBe(2)
})

it('An Ingress that is forgotten counts as seen for the first time again', () => {
  const assignments = inATerm()
  noted(assignments, key, { to: 'other' }, selected, 1)
  assignments.forget(key)
  expect(noted(assignments, key, edge, selected, 2).since).toBeUndefined()
})

it('An exclusion of an older Ingress predates the term until a controller selects the Ingress', () => {
  const assignments = new IngressAssignments()
  noted(assignments, key, edge, excluded, 1)
  assignments.beginTerm()
  expect(assignments.of(key, edge, excluded, 9).predatesTerm).toBe(true)
  noted(assignments, key, edge, excluded, 2)
  expect(assignments.of(key, edge, excluded, 9).predatesTerm).toBe(true)
  noted(assignments, key, edge, selected, 3)
  expect(assignments.of(key, edge, excluded, 9).predatesTerm).toBe(false)
  noted(assignments, key, edge, excluded, 4)
  expect(assignments.of(key, edge, excluded, 9).predatesTerm).toBe(false)
})

it('An exclusion predates the term for an Ingress whose namespace was not known yet, but for none that was selected', () => {
  const assignments = new IngressAssignments()
  noted(assignments, key, edge, unknown, 1)
  noted(assignments, 'shop/served', edge, selected, 1)
  assignments.beginTerm()
  noted(assignments, key, edge, excluded, 2)
  noted(assignments, 'shop/served', edge, excluded, 2)
  expect(assignments.of(key, edge, excluded, 9).predatesTerm).toBe(true)
  expect(assignments.of('shop/served', edge, excluded, 9).predatesTerm).toBe(false)
})

it('An exclusion does not predate the term for an Ingress that is created in the term, or that nobody has seen', () => {
  const assignments = inATerm()
  noted(assignments, key, edge, excluded, 1)
  expect(assignments.of(key, edge, excluded, 9).predatesTerm).toBe(false)
  expect(assignments.of('shop/unseen', edge, excluded, 9).predatesTerm).toBe(false)
})

it('An exclusion is found out anew for the next term', () => {
  const assignments = inATerm()
  noted(assignments, key, edge, excluded, 1)
  assignments.reset()
  expect(noted(assignments, key, edge, excluded, 2).since).toBe(2)
  expect(assignments.of(key, edge, excluded, 9).predatesTerm).toBe(true)
})
