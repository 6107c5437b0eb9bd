import { CATEGORIES, LIMITS } from '@iodine/contracts'
import { propertyRuns } from '@iodine/test-kit/runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  createScanner,
  decodeCampaigns,
  decodeOverlay,
  encodeCampaigns,
  encodeOverlay,
  mergeRows,
  OVERLAY_ROW_BYTES,
  OverlayRows,
  overlayRow,
  valueKey,
} from '../src'

const idOf = (n: number) => n.toString(16).padStart(24, '0')
const iodOf = (n: number, value = `value ${n}`) => ({
  id: idOf(n),
  value,
  category: 'SENTENCE' as const,
  votes_for: 0,
  votes_against: 0,
})
const rowsOf = (...numbers: number[]) => joined(numbers.flatMap(n => overlayRow(iodOf(n)) ?? []))
const joined = (rows: Uint8Array[]) => Uint8Array.from(rows.flatMap(row => [...row]))

describe('a row', () => {
  test.each([
    ['without votes', 0, 0, undefined, [0, 0, undefined]],
    ['with votes', 12, 3, { for: 3.14, against: 0 }, [12, 3, { for: 3.1, against: 0 }]],
    [
      'with saturated votes',
      256,
      9_999,
      { for: 99, against: 25.4 },
      [255, 255, { for: 25.4, against: 25.4 }],
    ],
  ])('encodes an IOD %s', (_, votes_for, votes_against, independent, [up, down, worth]) => {
    const iod = { id: 'fedcba98765432100fab1234', value: 'Giant mirrors', category: 'URL' as const }
    const row = overlayRow({ ...iod, votes_for, votes_against, independent })
    expect(row).toHaveLength(OVERLAY_ROW_BYTES)
    const { key, ...fields } = new OverlayRows(row as Uint8Array).entryAt(0)
    expect(fields).toEqual({
      id: iod.id,
      category: 'URL',
      votes_for: up,
      votes_against: down,
      independent: worth,
    })
    expect(key).toEqual(valueKey(iod))
  })

  test('supports values of maximum length, and every category', { tags: 'long' }, () => {
    // Folding turns each of these characters into two, with a mark.
    const value = 'İ'.repeat(LIMITS.fieldMax)
    for (const category of CATEGORIES) {
      const row = overlayRow({ ...iodOf(1, value), category }) as Uint8Array
      const rows = new OverlayRows(row)
      expect(rows.entryAt(0).category).toBe(category)
      const [hit, ...more] = createScanner(1, n => rows.keyAt(n)).scan(`so ${value}.`)
      expect([hit, more]).toEqual([{ start: 3, end: 3 + value.length, key: 0 }, []])
    }
  })

  test.each(['', ' \n ', '\u00ad', '\u200b \ufeff'])(
    'is undefined for %j, which cannot occur in a text',
    value => {
      expect(overlayRow(iodOf(1, value))).toBeUndefined()
    },
  )
})

test('mergeRows replaces older rows by newer ones with the same id', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(40)), fc.uniqueArray(fc.nat(40)), (older, newer) => {
      const row = (n: number, votes_for: number) => overlayRow({ ...iodOf(n), votes_for }) as Uint8Array
      const sorted = (numbers: number[]) => numbers.toSorted((a, b) => a - b)
      const merged = mergeRows(
        joined(sorted(older).map(n => row(n, 1))),
        joined(sorted(newer).map(n => row(n, 2))),
      )
      const all = sorted([...new Set([...older, ...newer])])
      expect(merged).toEqual(joined(all.map(n => row(n, newer.includes(n) ? 2 : 1))))
    }),
    propertyRuns(300),
  )
})

describe('an overlay', () => {
  test('is decoded to the encoded values, also without rows', async () => {
    for (const rows of [new Uint8Array(), rowsOf(1, 2, 3)]) {
      const overlay = { revision: 1_763_900_000_123, since: 1_763_900_000_000, rows }
      expect(await decodeOverlay(await encodeOverlay(overlay))).toEqual(overlay)
    }
  })

  test('is rejected if it is truncated or a bit is flipped', async () => {
    const bytes = await encodeOverlay({ revision: 1, since: 0, rows: rowsOf(1, 2) })
    for (let length = 0; length < bytes.length; length++)
      await expect(decodeOverlay(bytes.slice(0, length))).rejects.toThrow(RangeError)
    for (let bit = 0; bit < 8 * bytes.length; bit++) {
      const damaged = bytes.slice()
      damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7))
      await expect(decodeOverlay(damaged)).rejects.toThrow(RangeError)
    }
  })

  test('is rejected if it has another format', async () => {
    await expect(decodeOverlay(await encodeCampaigns([]))).rejects.toThrow('no overlay')
    const rows = rowsOf(1).slice(1)
    await expect(decodeOverlay(await encodeOverlay({ revision: 1, since: 0, rows }))).rejects.toThrow(
      'no overlay of this version',
    )
  })
})

describe('campaigns', () => {
  const campaigns = [
    { id: idOf(7), name: 'Mirrors 🪞 of the lake', iod_ids: [idOf(1), idOf(2)] },
    { id: idOf(8), name: '', iod_ids: [] },
  ]

  test('are decoded to the encoded values', async () => {
    expect(await decodeCampaigns(await encodeCampaigns(campaigns))).toEqual(campaigns)
    expect(await decodeCampaigns(await encodeCampaigns([]))).toEqual([])
  })

  test('are rejected if they are damaged or of another format', async () => {
    const bytes = await encodeCampaigns(campaigns)
    await expect(decodeCampaigns(bytes.slice(0, -1))).rejects.toThrow(RangeError)
    await expect(
      decodeCampaigns(await encodeOverlay({ revision: 0, since: 0, rows: new Uint8Array() })),
    ).rejects.toThrow('no campaigns of this version')
  })
})
