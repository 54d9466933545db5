import { expect, test } from 'vitest'
import { proxyFromEnvironment } from './environment-proxy.ts'

const server = new URL('https://api.prod.example.com:6443')
const proxyFor = (url: string | URL, env: Record<string, string>) =>
  proxyFromEnvironment(new URL(url), env)?.href

test('HTTPS_PROXY is for https servers and HTTP_PROXY for plain ones, in upper or lower case', () => {
  expect(proxyFor(server, { HTTPS_PROXY: 'http://proxy:3128' })).toBe('http://proxy:3128/')
  expect(proxyFor(server, { https_proxy: 'socks5://proxy:1080' })).toBe('socks5://proxy:1080')
  expect(proxyFor(server, { HTTP_PROXY: 'http://proxy:3128' })).toBeUndefined()
  expect(proxyFor('http://10.0.0.1', { HTTP_PROXY: 'http://proxy:3128' })).toBe('http://proxy:3128/')
})

test('A proxy variable that is empty counts as not set', () => {
  expect(proxyFor(server, { HTTPS_PROXY: '' })).toBeUndefined()
  expect(proxyFor(server, { https_proxy: '' })).toBeUndefined()
  expect(proxyFor(server, { HTTPS_PROXY: '', https_proxy: 'http://proxy:3128' })).toBe('http://proxy:3128/')
})

test('A proxy without a scheme is a plain HTTP proxy', () => {
  expect(proxyFor(server, { HTTPS_PROXY: 'proxy:3128' })).toBe('http://proxy:3128/')
})

test.each(['http://', 'ftp://proxy:21', 'ftp://http:21', 'a b'])(
  'An invalid proxy is refused, and the error names the variable: %s',
  (value) => {
    expect(() => proxyFor(server, { HTTPS_PROXY: value })).toThrow('HTTPS_PROXY is not the URL of a proxy')
  },
)

test.each(['https://localhost:6443', 'https://127.0.0.1:6443', 'https://127.9.9.9', 'https://[::1]:6443'])(
  'No proxy is used for this machine: %s',
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
  ['*.ample.com', server, false],
  ['.api.prod.example.com', server, false],
  ['other.com, example.com', server, true],
  ['example.com:6443', server, true],
  ['example.com:443', server, false],
  ['example.com:443', 'https://api.example.com', true],
  ['example.com:80', 'https://api.example.com', false],
  ['example.com:80', 'http://api.example.com', true],
  ['example.com:443', 'http://api.example.com', false],
  ['10.0.0.0/8', 'https://10.1.2.3:6443', true],
  ['10.0.0.0/8', 'https://11.1.2.3:6443', false],
  ['10.0.0.0/8', server, false],
  ['10.0.0.0/', 'https://10.1.2.3:6443', false],
  ['10.0.0.0/33', 'https://10.1.2.3:6443', false],
  ['10.0.0.0/eight', 'https://10.1.2.3:6443', false],
  ['10.0.0.0/8x', 'https://10.1.2.3:6443', false],
  ['10.0.0.0/x8', 'https://10.1.2.3:6443', false],
  ['10.1.2.3/32', 'https://10.1.2.3:6443', true],
  ['fd00::1/128', 'https://[fd00::1]:6443', true],
  ['internal/8', server, false],
  ['fd00::/129', 'https://[fd00::1]:6443', false],
  ['10.1.2.3', 'https://10.1.2.3', true],
  ['fd00::/8', 'https://[fd00::1]:6443', true],
  ['fd00::1', 'https://[fd00::1]:6443', true],
  ['[fd00::1]:6443', 'https://[fd00::1]:6443', true],
  ['[fd00::1]:443', 'https://[fd00::1]:6443', false],
  ['', server, false],
  ['other.com,,', 'https://api.example.com.', false],
])('NO_PROXY=%s and %s: exempt %s', (entry, url, exempt) => {
  const proxies = { HTTPS_PROXY: 'http://proxy:3128', HTTP_PROXY: 'http://proxy:3128' }
  expect(proxyFor(url, { ...proxies, NO_PROXY: entry }) === undefined).toBe(exempt)
  expect(proxyFor(url, { ...proxies, no_proxy: entry }) === undefined).toBe(exempt)
})
