import { RECORD_SCHEMAS } from '@iodine/contracts'
import { propertyRuns } from '@iodine/test-kit'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { type Answers, type Item, read, readMerged } from '../src/index.js'

const itemsOf = async (text: string, format: string) => {
  const items: Item[] = []
  for await (const item of read(new Blob([text]).stream(), { format }, { file_time: FILE_TIME }))
    items.push(item)
  return items
}
const FILE_TIME = '2025-11-20T09:00:00.000Z'
const wrapped = (data: unknown, platform = 'tiktok.com') =>
  JSON.stringify({ source_platform: platform, timestamp_collected: 1763600000123, data })

const reportOf = async (text: string, format: string, answers: Partial<Answers> = {}) => {
  const records = []
  const items = readMerged(new Blob([text]).stream(), { format }, { file_time: FILE_TIME, ...answers })
  for (;;) {
    const { done, value } = await items.next()
    if (done) return { records, report: value }
    records.push(value)
  }
}

describe('every file', () => {
  test('yields a record or a reason for every line, whatever it holds', async () => {
    const platforms = [
      'tiktok.com',
      'tiktok-comments',
      'twitter.com',
      'instagram.com',
      'threads.net',
      'gab.com',
      'truthsocial.com',
      'pinterest.com',
      '9gag.com',
      'imgur.com',
      'douyin.com',
      'xiaohongshu.com',
      'xiaohongshu-comments',
      'linkedin.com',
      'facebook.com',
      'x.example',
    ]
    const keys = [
      'id',
      'cid',
      'code',
      'rest_id',
      'legacy',
      'user',
      'author',
      'core',
      'full_text',
      'note',
      'url',
      'created_at',
      'createTime',
      'media',
      'images',
      'stats',
      'tags',
      '__proto__',
      'constructor',
    ]
    const value = fc.letrec(tie => ({
      any: fc.oneof(
        { maxDepth: 4 },
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.integer(),
          fc.double(),
          fc.boolean(),
          fc.constant(null),
          fc.constantFrom('https://x.example/a', '7572027344082567891', '\0\ud800'),
        ),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...keys), tie('any'), { maxKeys: 6 }),
      ),
    })).any
    const lines = fc.array(
      fc.tuple(fc.constantFrom(...platforms), fc.dictionary(fc.constantFrom(...keys), value)),
      { minLength: 2, maxLength: 5 },
    )
    await fc.assert(
      fc.asyncProperty(lines, async all => {
        const text = all.map(([platform, data]) => wrapped(data, platform)).join('\n')
        const items = await itemsOf(text, 'zeeschuimer')
        expect(items.map(item => ('record' in item ? item.at : item.line))).toEqual(
          all.map((_, at) => at + 1),
        )
        for (const item of items)
          if ('record' in item)
            expect(RECORD_SCHEMAS[item.source].safeParse(item.record).error).toBeUndefined()
      }),
      propertyRuns(400),
    )
  })
})

describe('hostile files', () => {
  const video = { id: '7572027344082567891', desc: 'a', createTime: 1763000000 }

  it('reports broken lines and keeps the others', async () => {
    const text = `\ufeff${wrapped(video)}\r\n\r\n{"source_platform": "tik\r\nnull\r\n${wrapped({ ...video, id: '2' })}\r\n{"da`
    const { records, report } = await reportOf(text, 'zeeschuimer')
    expect(records.map(({ at }) => at)).toEqual([1, 5])
    expect(report.skipped).toEqual([
      { at: 3, reason: 'broken-line' },
      { at: 4, reason: 'not-an-item' },
      { at: 6, reason: 'broken-line' },
    ])
  })

  it('reads a first line that is broken', async () => {
    const { records, report } = await reportOf(`{"source_platform": "tik\n${wrapped(video)}\n`, 'zeeschuimer')
    expect(records).toHaveLength(1)
    expect(report.skipped).toEqual([{ at: 1, reason: 'broken-line' }])
  })

  it('names the platform that it does not know', async () => {
    const { report } = await reportOf(wrapped(video, 'parler.com'), 'zeeschuimer')
    expect(report.skipped).toEqual([{ at: 1, reason: 'unknown-platform', detail: 'parler.com' }])
  })

  it('drops NUL and replaces half surrogates', async () => {
    const text = wrapped({ ...video, desc: 'a\0b' }).replace('a\\u0000b', 'a\\u0000b \\ud83c c\0')
    const { records } = await reportOf(text, 'zeeschuimer')
    expect(records[0]?.record).toMatchObject({ main: { description: 'ab \ufffd c' } })
  })

  it('cuts long texts between characters and long lists, and says so', async () => {
    const desc = `${'x'.repeat(9_999)}🌊🌊`
    const textExtra = Array.from({ length: 1_001 }, (_, n) => ({ hashtagName: `t${n}` }))
    const { records, report } = await reportOf(wrapped({ ...video, desc, textExtra }), 'zeeschuimer')
    expect(records[0]?.record).toMatchObject({
      main: { description: 'x'.repeat(9_999), hashtags: { length: 1_000 } },
    })
    expect(report.warnings).toEqual([
      { at: 1, reason: 'text-cut' },
      { at: 1, reason: 'list-cut' },
    ])
  })

  it('leaves out counts that are rounded, negative or too large, and unreadable times', async () => {
    const stats = {
      playCount: '1.2K',
      diggCount: -1,
      commentCount: 2 ** 53,
      shareCount: '1,234',
      collectCount: '10万+',
    }
    const { records, report } = await reportOf(wrapped({ ...video, createTime: 'x', stats }), 'zeeschuimer')
    expect(records[0]?.record).toMatchObject({ main: { video_id: video.id }, stats: { share_count: 1_234 } })
    expect(JSON.stringify(records)).not.toMatch(/play_count|digg_count|comment_count|collect_count/)
    expect(report.warnings).toEqual([{ at: 1, reason: 'unreadable-time' }])
  })

  it('skips rounded ids', async () => {
    const videos =
      '{"data":{"videos":[{"id":7.572027344082568e+18},{"id":7572027344082568000},{"id":7572027344082567891}]}}'
    const { records, report } = await reportOf(videos, 'tiktok-research-videos')
    expect(records).toHaveLength(1)
    expect(report.reasons).toEqual({ 'rounded-id': 2 })
  })

  it('refuses a line of more than 16,777,216 characters', async () => {
    const text = `${wrapped(video)}\n{"x":"${'x'.repeat(17 * 2 ** 20)}\n`
    await expect(reportOf(text, 'zeeschuimer')).rejects.toThrow('more than 16,777,216 characters')
  })

  it('merges items of one record: whole before partial, then the newer; lists are not mixed', async () => {
    const item = (collected: number, data: object) =>
      JSON.stringify({ source_platform: 'instagram.com', timestamp_collected: collected, data })
    const text = [
      item(1763600000000, { code: 'A', caption: { text: 'old #a' }, like_count: 1, taken_at: 1763000000 }),
      item(1763600002000, { code: 'A', caption: { text: 'new #b' }, comment_count: 0, taken_at: 1763000000 }),
      item(1763600003000, { code: 'A', _zs_partial: true, play_count: 9, caption: { text: 'part' } }),
    ].join('\n')
    const { records, report } = await reportOf(text, 'zeeschuimer')
    expect(report).toMatchObject({ records: 1, merged: 2 })
    expect(records[0]).toMatchObject({
      at: 1,
      timed: true,
      record: {
        collector_metadata: { fetch_timestamp: '2025-11-20T00:53:22.000Z' },
        post: { text: 'new #b' },
        hashtags: ['b'],
        metrics: { likes: 1, comments: 0, views: 9 },
      },
    })
    expect(records[0]).not.toHaveProperty('partial')
  })
})

describe('Telegram Desktop', () => {
  const message = (id: number, more: object = {}) => ({
    id,
    type: 'message',
    date_unixtime: '1763000000',
    from: 'N',
    text: '',
    ...more,
  })
  const chat = (messages: unknown[], more: object = {}) =>
    JSON.stringify({ name: 'N', type: 'public_channel', id: 15, messages, ...more })

  it('joins albums under their lowest id', async () => {
    const photo = (id: number, text = '') => message(id, { photo: 'p.jpg', text })
    const { records, report } = await reportOf(
      chat([photo(4), photo(5, 'words'), photo(6), photo(8), message(9)]),
      'telegram-desktop',
    )
    expect(report).toMatchObject({ records: 3, joined: 2, merged: 0 })
    expect(records[0]?.record).toMatchObject({
      telegram: { post: { id: '4', description: 'words' }, attachments: { length: 3 } },
    })
  })

  it('repairs escapes and paths that are not JSON, and keeps what precedes a cut', async () => {
    const text = `{"name":"N","type":"public_channel","id":15,"messages":[
${JSON.stringify(message(1, { text: 'a\\x1b' }))},
{"id":2,"type":"message","date_unixtime":"1763000000","from":"N","text":["b\\x1bc",{
 "type":"custom_emoji","text":"😁",
 "document_id": video_files/sticker (2).webm
}]},
{"id":3,"type":"mess`
    const { records, report } = await reportOf(text, 'telegram-desktop')
    expect(
      records.map(({ record }) => (record as { telegram: { post: object } }).telegram.post),
    ).toMatchObject([{ description: 'a\\x1b' }, { description: 'b\u001bc😁' }])
    expect(report.warnings).toEqual([{ at: 3, reason: 'cut-file' }])
  })

  it('reads no message of a chat that is not chosen', async () => {
    const secret = [message(1, { text: 'secret' }), message(2, { text: 'secret' })]
    for (const type of [
      'personal_chat',
      'private_group',
      'private_supergroup',
      'bot_chat',
      'saved_messages',
      'x',
    ]) {
      const { records, report } = await reportOf(chat(secret, { type }), 'telegram-desktop')
      expect(records).toEqual([])
      expect(report.skipped).toEqual([1, 2].map(at => ({ at, reason: 'chat-not-chosen' })))
    }
    const late = JSON.stringify({ messages: secret, name: 'N', id: 15, type: 'personal_chat' })
    expect((await reportOf(late, 'telegram-desktop')).records).toEqual([])
    const chosen = await reportOf(chat(secret, { type: 'private_supergroup' }), 'telegram-desktop', {
      chats: { 15: {} },
    })
    expect(chosen.records).toHaveLength(2)
    const other = await reportOf(chat(secret), 'telegram-desktop', { chats: { 16: {} } })
    expect(other.records).toEqual([])
  })
})
