import { expect, it } from 'vitest'
import { canonicalLink, parseUrl } from '../src/index.js'

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
