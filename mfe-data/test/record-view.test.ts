import { expect, test } from 'vitest'
import { presentRecord, type RecordView, valuesOf } from '../src/model/record-view'
import { article, post, video } from './fixtures'

const shown = (view: RecordView) =>
  Object.fromEntries(
    view.groups.flatMap(({ title, fields }) =>
      fields.map(({ label, values }) => [`${title} ${label}`, values.map(({ text }) => text).join('|')]),
    ),
  )

test('a short video', () => {
  const view = presentRecord('tiktok', video({ video_id: '71', create_time: 1_763_000_000 }))
  expect(view).toMatchObject({
    title: '@night.watch',
    originalUrl: null,
    iodSource: 'https://www.tiktok.com/@night.watch/video/71',
    sourceType: 'TIKTOK',
    collectedFrom: 'tiktok',
  })
  expect(shown(view)).toMatchObject({
    'Video Description': 'They hide the numbers from us',
    'Video Hashtags': 'truth',
    'Video Created': '2025-11-13T02:13:20Z',
    'Author Followers': '34,000',
    'Author Hearts': '',
  })
  expect(view.groups.map(group => group.title)).toEqual(['Video', 'Author'])
  expect(valuesOf(view)).toContain('34000')
})

test('a channel post with its attachments', () => {
  const view = presentRecord('telegram', post())
  expect(view).toMatchObject({ title: 'Open Eyes', originalUrl: 'https://t.me/open_eyes/9' })
  expect(
    view.attachments.map(({ type, url, sha256 }) => [type, url.values.length, sha256.values.length]),
  ).toEqual([
    ['image', 1, 1],
    ['document', 1, 0],
  ])
  expect(valuesOf(view)).toContain('ab'.repeat(32))
})

test('an article: http(s) addresses alone can be opened, blank and object values are no values', () => {
  const view = presentRecord('blog', article())
  expect(view).toMatchObject({
    originalUrl: 'https://blog.example.org/a',
    iodSource: 'https://blog.example.org/a',
  })
  expect(shown(view)).toMatchObject({
    'Article Title': '<img src=x onerror=alert(1)>',
    'Structured data Author': 'J. Doe',
    'Structured data Publisher': '',
    'Structured data Keywords': 'hidden',
  })
  expect(view.imageHashes.map(({ url, hash }) => [url.values[0]?.text, hash.values[0]?.text])).toEqual([
    ['https://blog.example.org/a.b$c.png', 'f0e1'],
  ])
  const hostile = article()
  hostile.metadata.canonical = 'javascript:alert(1)'
  expect(presentRecord('blog', hostile)).toMatchObject({ originalUrl: null, iodSource: null })
})

test('a record with the least there may be', () => {
  const { id, collector_metadata } = video()
  const view = presentRecord('tiktok', { id, collector_metadata, main: { video_id: '7' } })
  expect(view).toMatchObject({ title: 'Short video', originalUrl: null, iodSource: null })
  expect(view.groups).toHaveLength(1)
})
