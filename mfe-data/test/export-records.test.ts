import type { Stored } from '@iodine/contracts'
import { expect, test } from 'vitest'
import { type Exported, scopeOf, WRITERS } from '../src/model/export-records'
import { toZeeschuimer } from '../src/model/export-zeeschuimer'
import { article, post, video } from './fixtures'

const records = (): Exported[] => [
  { source: 'tiktok', record: video({ description: '=cmd()|"a"\n😀' }) },
  { source: 'telegram', record: post() },
  { source: 'blog', record: article() },
]

test('writes each record with its source, in every format', () => {
  for (const exported of records()) {
    const { source, record } = exported
    for (const format of ['ndjson', 'json'] as const)
      expect(JSON.parse(WRITERS[format].write(exported) ?? '')).toEqual({ source, ...record })
    expect(WRITERS.csv.write(exported)).toContain(record.id)
  }
  const [first] = records()
  const row = first && WRITERS.csv.write(first)
  expect(row).toContain(`night.watch,"'=cmd()`)
  expect(row).toContain('2025-11-13T02:13:20.000Z,2026-11-20T10:00:00.000Z')
})

test('writes short videos as 4CAT reads them, and omits what it cannot read', () => {
  const record = { ...video(), stats: { digg_count: 5 } }
  expect(toZeeschuimer(record)).toMatchObject({
    item_id: record.main.video_id,
    timestamp_collected: Date.parse('2026-11-20T10:00:00.000Z'),
    source_platform: 'tiktok.com',
    data: {
      id: record.main.video_id,
      createTime: 1_763_000_000,
      author: { uniqueId: 'night.watch', nickname: 'Night Watch', id: '' },
      authorStats: { followerCount: 34_000 },
      stats: { diggCount: 5, playCount: null },
      textExtra: [{ hashtagName: 'truth' }],
    },
  })
  const { author: _, ...anonymous } = record
  expect(toZeeschuimer(anonymous as Stored<'tiktok'>)).toBeUndefined()
  expect(toZeeschuimer(video({ create_time: null }))).toBeUndefined()
  const [, telegram, blog] = records()
  for (const other of [telegram, blog]) expect(other && WRITERS.zeeschuimer.write(other)).toBeUndefined()
})

test('exports the open tab with its search, the selection, or all', () => {
  const view = { source: 'blog' as const, term: 'sea', analyzed: { hour: 9 }, chosen: new Set(['a']) }
  expect(scopeOf('shown', view)).toEqual({ sources: ['blog'], term: 'sea', analyzed: { hour: 9 }, ids: null })
  expect(scopeOf('selected', view)).toEqual({
    sources: ['blog'],
    term: 'sea',
    analyzed: { hour: 9 },
    ids: view.chosen,
  })
  expect(scopeOf('all', view)).toMatchObject({ term: '', analyzed: {}, ids: null })
})
