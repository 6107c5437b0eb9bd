import { telegramPost, tiktokPost } from '@iodine/test-kit'
import { expect, it } from 'vitest'
import { Batches } from '../src/index.js'

it('batches hold one source, at most 500 records and bounded text, in the order of their offsets', () => {
  const batches = new Batches()
  const closed = Array.from({ length: 501 }, () => batches.add('tiktok', tiktokPost())).filter(Boolean)
  expect(closed).toHaveLength(1)
  expect(closed[0]).toMatchObject({ source: 'tiktok', offset: 0 })
  expect(closed[0]?.records).toHaveLength(500)
  const long = () => ({ ...telegramPost(), context: { text: 'x'.repeat(9_000) } })
  const full = Array.from({ length: 300 }, () => batches.add('telegram', long())).filter(Boolean)
  expect(full).toHaveLength(1)
  expect(JSON.stringify(full[0]?.records).length).toBeLessThan(2_100_000)
  const rest = batches.flush()
  expect(rest.map(({ source }) => source).sort()).toEqual(['telegram', 'tiktok'])
  const all = [...closed, ...full, ...rest]
  let offset = 0
  for (const batch of all) {
    expect(batch?.offset).toBe(offset)
    offset += batch?.records.length ?? 0
  }
  expect(batches.total).toBe(801)
  expect(batches.flush()).toEqual([])
})
