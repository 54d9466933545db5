import { expect, test } from 'vitest'
import { ForgetfulMap } from './forgetful-map.ts'

test('What is asked for again and again is kept, and what is not is forgotten', () => {
  const map = new ForgetfulMap<string, number>(10)
  map.set('asked for', 1)
  map.set('not asked for', 2)
  for (let number = 0; number < 100; number++) {
    map.set(`another ${number}`, number)
    expect(map.get('asked for')).toBe(1)
  }
  expect(map.get('another 99')).toBe(99)
  expect(map.get('not asked for')).toBeUndefined()
  expect(map.get('another 0')).toBeUndefined()
})

test('There is room for what it was made for, half of it at least', () => {
  const map = new ForgetfulMap<number, string>(1000)
  for (let number = 0; number < 5000; number++) map.set(number, `${number}`)
  const kept = Array.from({ length: 5000 }, (_, number) => map.get(number)).filter((each) => each)
  expect(kept.length).toBeGreaterThanOrEqual(500)
  expect(kept.length).toBeLessThanOrEqual(1000)
})
