import { expect, test } from 'vitest'
import { proxyFromEnvironment } from './environment-proxy.ts'

const server = new URL('https://api.prod.example.com:6443')
const proxyFor = (url: string | URL, env: Record<string, string>) =>
  proxyFromEnvironment(new URL(url), env)?.href

test('HTTPS_PROXY is for https servers and HTTP_PROXY for plain ones, in capitals or not', () => {
  expect(proxyFor(server, { HTTPS_PROXY: 'http://proxy:3128' })).toBe('http://proxy:3128/')
  expect(proxyFor(server, { https_proxy: 'socks5://proxy:1080' })).toBe('socks5://proxy:1080')
  expect(proxyFor(server, { HTTP_PROXY: 'http://proxy:3128' })).toBeUndefined()
  expect(proxyFor('http://10.0.0.1', { HTTP_PROXY: 'http://proxy:3128' })).toBe('http://proxy:3128/')
  expect(proxyFor(server, { HTTPS_PROXY: '' })).toBeUndefined()
})

test('a proxy without a scheme is a plain one', () => {
  expect(proxyFor(server, { HTTPS_PROXY: 'proxy:3128' })).toBe('http://proxy:3128/')
})

test.each(['http://', 'ftp://proxy:21', 'a b'])(
  'a proxy that is none is refused, and the variable named: %s',
  (value) => {
    expect(() => proxyFor(server, { HTTPS_PROXY: value })).toThrow('HTTPS_PROXY is not the URL of a proxy')
  },
)

test.each(['https://localhost:6443', 'https://127.0.0.1:6443', 'https://127.9.9.9', 'https://[::1]:6443'])(
  'this machine is never reached through a proxy: %s',
  (url) => {
    expect(proxyFor(url, { HTTPS_PROXY: 'http://proxy:3128' })).toBeUndefined()
  },
)

test.each([
  ['*', server, true],
  ['api.prod.example.com', server, true],
  ['API.prod.example.com', server, true],
  ['example.com', server, true],
  ['.example.com', server, true],
  ['*.example.com', server, true],
  ['ample.com', server, false],
  ['.api.prod.example.com', server, false],
  ['other.com, example.com', server, true],
  ['example.com:6443', server, true],
  ['example.com:443', server, false],
  ['10.0.0.0/8', 'https://10.1.2.3:6443', true],
  ['10.0.0.0/8', 'https://11.1.2.3:6443', false],
  ['10.0.0.0/8', server, false],
  ['10.0.0.0/', 'https://10.1.2.3:6443', false],
  ['10.0.0.0/33', 'https://10.1.2.3:6443', false],
  ['10.0.0.0/eight', 'https://10.1.2.3:6443', false],
  ['fd00::/129', 'https://[fd00::1]:6443', false],
  ['10.1.2.3', 'https://10.1.2.3', true],
  ['fd00::/8', 'https://[fd00::1]:6443', true],
  ['fd00::1', 'https://[fd00::1]:6443', true],
  ['[fd00::1]:6443', 'https://[fd00::1]:6443', true],
  ['[fd00::1]:443', 'https://[fd00::1]:6443', false],
  ['', server, false],
])('NO_PROXY=%s and %s: exempt %s', (entry, url, exempt) => {
  const proxy = proxyFor(url, { HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: entry })
  expect(proxy === undefined).toBe(exempt)
})
