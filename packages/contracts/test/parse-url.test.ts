import { expect, it } from 'vitest'
import { canonicalLink, isHttpUrl, parseUrl } from '../src/index.js'

/** Calls after which the engine has optimized a function. */
const CALLS = 30_000

it.each(['https://bücher.example/x', 'https://example.org/é', 'https://example.org/я'])(
  'parses %s at each of many calls',
  address => {
    const link = canonicalLink(address)
    let failed = 0
    for (let call = 0; call < CALLS; call++)
      if (!parseUrl(address) || canonicalLink(address) !== link) failed += 1
    expect([failed, typeof link]).toEqual([0, 'string'])
  },
)

it('returns undefined for other texts, and takes a base', () => {
  for (const text of ['', 'no', 'https://', 'https://a b/', '//example.org'])
    expect(parseUrl(text)).toBeUndefined()
  expect(parseUrl('../b', 'https://example.org/a/c')?.href).toBe('https://example.org/b')
})

it('accepts the http(s) URLs that the parser accepts', () => {
  const hosts =
    'a 1 a-b a..b 1a a1 xn-- xn--a XN--A.b b.xn--a ab--c 0x1 a.0x1 1.2.3.4 1.2.3.999 a.1 a. . - _ é ſ 潮 [::1] [ u@a a%41 a%zz a\tb a\\\\b'
      .split(' ')
      .concat('', 'a b', 'a\u00adb', 'a'.repeat(300), 'a.'.repeat(200))
  const rests = [
    '',
    ':',
    ':0',
    ':80',
    ':65535',
    ':99999',
    ':x',
    '/',
    '/ é\ud800',
    '?[',
    '#%zz',
    '@b',
    '\\\\c',
    '\0',
  ]
  for (const scheme of ['http://', 'HTTPS://', 'https:', 'ftp://'])
    for (const host of hosts)
      for (const rest of rests) {
        const address = scheme + host + rest
        const isValid = /^https?:\/\//i.test(address) && parseUrl(address) !== undefined
        expect([address, isHttpUrl(address)]).toEqual([address, isValid])
      }
})
