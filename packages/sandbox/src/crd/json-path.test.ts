import { expect, test } from 'vitest'
import { findByPath } from './json-path.ts'

const object = {
  metadata: { annotations: { 'example.com/a': 'x' } },
  spec: { arms: 8, ports: [{ port: 80 }, { port: 443 }] },
  status: {
    conditions: [
      { type: 'Ready', status: 'True', ok: true },
      { type: 'Old', status: 'False', ok: false },
    ],
  },
}

test.each([
  ['.spec.arms', [8]],
  ['.spec.legs', []],
  ['.spec.ports[1].port', [443]],
  ['.spec.ports[*].port', [80, 443]],
  ['.status.conditions[?(@.type=="Ready")].status', ['True']],
  ['.status.conditions[?(@.ok==false)].type', ['Old']],
  [".status.conditions[?(@.type=='Nope')].status", []],
  ['.metadata.annotations.example\\.com/a', ['x']],
  [".metadata.annotations['example.com/a']", ['x']],
])('The path %s finds %j', (path, found) => {
  expect(findByPath(object, path)).toEqual(found)
})
