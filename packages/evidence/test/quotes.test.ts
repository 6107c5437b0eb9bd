import { generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  anchorQuote,
  canonicalJson,
  checkpointText,
  contextOf,
  leafHash,
  manifestHash,
  pointerToken,
  pointerValue,
  relationOf,
  selectorsOf,
  sha256Hex,
  splitsCharacter,
  verifyCheckpoint,
} from '../src/index.js'

describe('hashes', () => {
  it('match the examples of the standards', async () => {
    // FIPS 180-4, examples.
    expect(await sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
    // RFC 8785, 3.2.2 and 3.2.3: numbers, escapes, and names sorted by UTF-16 units.
    expect(
      canonicalJson({
        '\u20ac': 'Euro Sign',
        '\r': 'Carriage Return',
        '\ufb33': 'Hebrew Letter Dalet With Dagesh',
        1: 'One',
        '\ud83d\ude00': 'Emoji: Grinning Face',
        '\u0080': 'Control',
        '\u00f6': 'Latin Small Letter O With Diaeresis',
      }),
    ).toBe(
      '{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
    )
    expect(canonicalJson([333333333.3333333, 1e30, 4.5, 2e-3, 1e-27])).toBe(
      '[333333333.3333333,1e+30,4.5,0.002,1e-27]',
    )
    for (const value of [undefined, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => canonicalJson(value)).toThrow()
  })

  it('do not depend on the order of fields', async () => {
    const blobs = [{ role: 'text' as const, sha256: 'a'.repeat(64), bytes: 1, type: 'text/plain' }]
    const fields = {
      v: 1 as const,
      source: 'blog' as const,
      url: 'https://a.example/',
      trigger: 'iod' as const,
    }
    const rest = { captured_at: '2026-11-23T10:00:00.000Z', collector: 'c/1', projection: 'p' }
    expect(await manifestHash({ ...fields, ...rest, blobs })).toBe(
      await manifestHash({ blobs, ...rest, ...fields }),
    )
    const seal = { manifest_hash: 'b'.repeat(64), received_at: '2026-11-23T10:00:00.000Z', salt: 's' }
    const expected = `\0{"manifest_hash":"${seal.manifest_hash}","received_at":"${seal.received_at}","salt":"s"}`
    expect(await leafHash(seal)).toBe(await sha256Hex(expected))
  })
})

describe('a checkpoint', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const fields = { size: 3, root: 'c'.repeat(64), at: '2026-11-23T10:00:00.000Z', key_id: 'k' }
  const sig = sign(null, Buffer.from(checkpointText(fields)), privateKey).toString('base64url')

  it('is valid only with its key and unchanged fields', async () => {
    const checkpoint = { ...fields, sig, anchors: [] }
    expect(await verifyCheckpoint(checkpoint, pem)).toBe(true)
    const other = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString()
    expect(await verifyCheckpoint(checkpoint, other)).toBe(false)
    for (const change of [{ size: 4 }, { root: 'd'.repeat(64) }, { key_id: 'l' }, { sig: '%' }, { sig: '' }])
      expect(await verifyCheckpoint({ ...checkpoint, ...change }, pem)).toBe(false)
    await expect(verifyCheckpoint(checkpoint, 'no key')).rejects.toThrow(TypeError)
  })
})

describe('quotes', () => {
  it('are found by matching context, then by distance, then folded', () => {
    const text = 'The lake boils. They say the lake boils. THE LAKE BOILS!'
    expect(anchorQuote(text, { exact: 'lake boils' })).toEqual({ start: 4, end: 14 })
    expect(anchorQuote(text, { exact: 'lake boils', prefix: 'say the ' })).toEqual({ start: 29, end: 39 })
    expect(anchorQuote(text, { exact: 'lake boils', start: 30 })).toEqual({ start: 29, end: 39 })
    expect(anchorQuote(text, { exact: 'Lake Boils', suffix: '!' })).toEqual({ start: 45, end: 55 })
    expect(anchorQuote(text, { exact: 'sea' })).toBeNull()
    expect(anchorQuote(text, { exact: '' })).toBeNull()
  })

  it('never split a character', () => {
    const text = '😀😀'
    expect(anchorQuote(text, { exact: '\ude00' })).toBeNull()
    expect(anchorQuote(text, { exact: '\ude00\ud83d' })).toBeNull()
    expect(splitsCharacter(text, 1)).toBe(true)
    expect([0, 2, 4].map(offset => splitsCharacter(text, offset))).toEqual([false, false, false])
    const long = `${'😀'.repeat(40)}x${'😀'.repeat(40)}`
    const { prefix, suffix } = contextOf(long, 80, 81)
    expect([prefix, suffix]).toEqual(['😀'.repeat(32), '😀'.repeat(32)])
    const odd = `${'😀'.repeat(40)}xy${'😀'.repeat(40)}`
    expect(contextOf(odd, 81, 81).prefix).toBe(`${'😀'.repeat(31)}x`)
  })

  it('are compared with a value', () => {
    expect(relationOf('Mirrors', 'Mirrors')).toBe('same')
    expect(relationOf(' MIRRORS ', 'mirrors')).toBe('folded')
    expect(relationOf('The mirrors boil', 'Mirrors')).toBe('part')
    expect(relationOf('mirror', 'the Mirrors')).toBe('part')
    expect(relationOf('e\u0301t\u00e9', '\u00c9t\u00e9')).toBe('folded')
    expect(relationOf('lakes', 'mirrors')).toBeNull()
    expect(relationOf(' ', 'a b')).toBeNull()
  })

  it('are converted to selectors in code points', () => {
    const text = '😀 a lake'
    expect(selectorsOf(text, 5, 9)).toEqual([
      { type: 'TextQuoteSelector', exact: 'lake', prefix: '😀 a ', suffix: '' },
      { type: 'TextPositionSelector', start: 4, end: 8 },
    ])
    expect(selectorsOf(text, 5, 9, '/main/description')).toMatchObject([
      { type: 'FragmentSelector', value: '/main/description', refinedBy: [{ exact: 'lake' }, { start: 4 }] },
    ])
  })

  it('refer to fields by RFC 6901', () => {
    const record = { a: { 'b/c': ['x', 7, { '~': 'y' }], n: null }, '': 'empty' }
    const values = Object.fromEntries(
      [
        '/a/b~1c/0',
        '/a/b~1c/1',
        '/a/b~1c/2/~0',
        '/',
        '',
        '/a',
        '/a/n',
        '/a/b~1c/00',
        '/a/b~1c/-',
        'a',
        '/a/constructor',
      ].map(pointer => [pointer, pointerValue(record, pointer)]),
    )
    expect(values).toEqual({
      '/a/b~1c/0': 'x',
      '/a/b~1c/1': '7',
      '/a/b~1c/2/~0': 'y',
      '/': 'empty',
    })
    expect(['b/c', '~', 3].map(pointerToken)).toEqual(['b~1c', '~0', '3'])
  })
})
