import { describe, expect, it } from 'vitest'
import { IngressAssignments } from './ingress-assignments.ts'
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

describe('an Ingress', () => {
  it.each<[string, Belonging, Selection, number | undefined]>([
    ['selected by its controller', edge, selected, undefined],
    ['whose namespace is not known yet', edge, unknown, undefined],
    ['of somebody else', 'others', unknown, undefined],
    ['of another installation', 'otherInstance', unknown, undefined],
    ['of a class that does not exist', 'unknown', unknown, 5],
    ['excluded by its controller', edge, excluded, 5],
  ])('%s has been so, at first sight, since %s %s %s', (_, belonging, selection, since) => {
    expect(inATerm().note(key, belonging, selection, 5)).toBe(since)
  })

  it('that moves to another controller, or is excluded, counts from then on, however often it is looked at', () => {
    const assignments = inATerm()
    assignments.note(key, edge, selected, 1)
    expect(assignments.note(key, { to: 'other' }, selected, 2)).toBe(2)
    expect(assignments.note(key, { to: 'other' }, selected, 3)).toBe(2)
    expect(assignments.note(key, { to: 'other' }, excluded, 4)).toBe(4)
    expect(assignments.note(key, { to: 'other' }, excluded, 5)).toBe(4)
    expect(assignments.note(key, { to: 'other' }, selected, 6)).toBe(6)
  })

  it('whose labels become known keeps the time since which it has been assigned', () => {
    const assignments = inATerm()
    assignments.note(key, 'others', unknown, 1)
    expect(assignments.note(key, edge, unknown, 2)).toBe(2)
    expect(assignments.note(key, edge, selected, 3)).toBe(2)
  })

  it('that is forgotten is seen for the first time again', () => {
    const assignments = inATerm()
    assignments.note(key, { to: 'other' }, selected, 1)
    assignments.forget(key)
    expect(assignments.note(key, edge, selected, 2)).toBeUndefined()
  })
})

describe('what was so before the term', () => {
  it('predates it, until a controller selects the Ingress', () => {
    const assignments = new IngressAssignments()
    assignments.note(key, edge, excluded, 1)
    assignments.beginTerm()
    expect(assignments.predatesTerm(key)).toBe(true)
    assignments.note(key, edge, excluded, 2)
    expect(assignments.predatesTerm(key)).toBe(true)
    assignments.note(key, edge, selected, 3)
    expect(assignments.predatesTerm(key)).toBe(false)
    assignments.note(key, edge, excluded, 4)
    expect(assignments.predatesTerm(key)).toBe(false)
  })

  it('includes an Ingress whose namespace was not known yet, but none that was selected', () => {
    const assignments = new IngressAssignments()
    assignments.note(key, edge, unknown, 1)
    assignments.note('shop/served', edge, selected, 1)
    assignments.beginTerm()
    assignments.note(key, edge, excluded, 2)
    assignments.note('shop/served', edge, excluded, 2)
    expect(assignments.predatesTerm(key)).toBe(true)
    expect(assignments.predatesTerm('shop/served')).toBe(false)
  })

  it('does not include what comes in the term, nor what nobody has seen', () => {
    const assignments = inATerm()
    assignments.note(key, edge, excluded, 1)
    expect(assignments.predatesTerm(key)).toBe(false)
    expect(assignments.predatesTerm('shop/unseen')).toBe(false)
  })

  it('is learnt anew for the next term', () => {
    const assignments = inATerm()
    assignments.note(key, edge, excluded, 1)
    assignments.reset()
    expect(assignments.note(key, edge, excluded, 2)).toBe(2)
    expect(assignments.predatesTerm(key)).toBe(true)
  })
})
