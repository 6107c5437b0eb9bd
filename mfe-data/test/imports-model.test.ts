import type { RecordOf } from '@iodine/contracts'
import type { Question, Report } from '@iodine/imports'
import { expect, test } from 'vitest'
import { cleanChats, publicFirst, withChat, withUsername } from '../src/model/chats'
import { headerKey, usableMapping, withColumn } from '../src/model/column-mapping'
import { PlanBuilder } from '../src/model/import-plan'
import {
  answersFault,
  cleanAnswers,
  firstLines,
  proposedAnswers,
  type Questions,
  timeQuestions,
} from '../src/model/import-questions'
import { formatBytes, formatName, linesText, readFault, skipText } from '../src/model/import-texts'
import { dateForms, needsZone } from '../src/model/time-forms'
import { article, post, video } from './fixtures'

const ofPlatform = (fields: Partial<RecordOf['post']['post']>): RecordOf['post'] => ({
  collector_metadata: { fetch_timestamp: '2026-11-20T10:00:00.000Z', source: 'import:zeeschuimer' },
  post: { platform: 'x', id: '1', type: 'post', ...fields },
})

const report = (change: Partial<Report> = {}): Report => ({
  records: 0,
  merged: 0,
  joined: 0,
  skipped: [],
  reasons: {},
  warnings: [],
  ...change,
})

test('a plan counts platforms, accounts and the period, and lists the first lines of each reason', () => {
  const builder = new PlanBuilder()
  builder.addRecord('tiktok', video({ create_time: 1_763_000_000 }))
  builder.addRecord('post', ofPlatform({ platform: 'x', published_at: '2024-02-01T00:00:00.000Z' }))
  builder.addRecord('post', ofPlatform({ platform: '__proto__', published_at: null }))
  builder.addRecord('telegram', post())
  builder.addRecord('blog', { ...article(), metadata: { canonical: 'not an address' } })
  const lines = Array.from({ length: 30 }, (_, n) => ({ at: n + 1, reason: 'ad' as const }))
  const plan = builder.planOf(
    report({ skipped: lines, reasons: { ad: 200_000, live: 1 }, warnings: [{ at: 7, reason: 'text-cut' }] }),
  )
  expect(plan.platforms.map(({ name, count }) => `${name} ${count}`)).toEqual([
    'TikTok 1',
    'X 1',
    '__proto__ 1',
    'Telegram 1',
    'Web pages 1',
  ])
  expect(plan.from).toBe('2024-02-01T00:00:00.000Z')
  expect(plan.skipped).toEqual([
    { reason: 'ad', count: 200_000, lines: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] },
    { reason: 'live', count: 1, lines: [] },
  ])
  expect(plan.warnings).toEqual([{ reason: 'text-cut', count: 1, lines: [7] }])
  expect(new PlanBuilder().planOf(report())).not.toHaveProperty('from')
})

test('a saved choice of columns keeps only known ones, and serves each order of the same header', () => {
  expect(usableMapping({ text: 'a', url: 'gone' }, ['a', 'b'])).toEqual({ text: 'a' })
  expect(withColumn({ text: 'a' }, 'text', '')).toEqual({})
  expect(withColumn({ text: 'a' }, 'url', 'b')).toEqual({ text: 'a', url: 'b' })
  expect(headerKey(['b', 'a'])).toBe(headerKey(['a', 'b']))
  expect(headerKey(['a,b'])).not.toBe(headerKey(['a', 'b']))
})

test.each([
  [['2025-11-13 03:13:20'], true],
  [['2025-11-13T03:13:20Z', ''], false],
  [['2025-11-13 03:13:20 +01:00'], false],
  [['1763000000', '1763000000000'], false],
  [['2024-08-14 10:00:00 EDT'], false],
  [['13/11/2025 18:05'], true],
])('times %j need a zone: %s', (times, expected) => expect(needsZone(times)).toBe(expected))

test.each([
  [['01/02/2025 18:05'], ['%d/%m/%Y %H:%M', '%m/%d/%Y %H:%M']],
  [['01/02/2025 18:05:01', '13/02/2025 01:00:00'], ['%d/%m/%Y %H:%M:%S']],
  [['01/02/25, 6:05 PM', '02/28/25, 1:00 AM'], ['%m/%d/%y, %I:%M %p']],
  [['1.2.2025'], ['%d.%m.%Y', '%m.%d.%Y']],
  [['2025-11-13 03:13:20'], []],
  [['13/11/2025', '11/13/2025'], []],
])('dates %j have the forms %j', (times, formats) =>
  expect(dateForms(times).map(({ format }) => format)).toEqual(formats),
)

const table = (times: string[]): Question => ({
  name: 'mapping',
  required: true,
  columns: ['text', 'date'],
  mapping: { text: 'text', published_at: 'date', url: 'gone' },
  rows: times.map(time => ['a', time]),
})
const asked = (...questions: Question[]): Questions => ({
  format: 'csv',
  questions,
  head: new Uint8Array(),
  given: {},
  asked: [],
})

test('a table needs a text or an address, a zone and the order of day and month, if its times do', () => {
  const questions = [table(['01/02/2025 18:05'])]
  const proposed = proposedAnswers(asked(...questions))
  expect(proposed.mapping).toEqual({ text: 'text', published_at: 'date' })
  expect(answersFault(questions, { mapping: {} })).toBe('Choose a column for Text or for URL.')
  expect(answersFault(questions, proposed)).toBe('Choose the time zone of the times.')
  const zoned = { ...proposed, timezone: 'Europe/Paris' }
  expect(answersFault(questions, zoned)).toBe('Choose whether the day or the month comes first.')
  const whole = { ...zoned, date_format: '%d/%m/%Y %H:%M' }
  expect(answersFault(questions, whole)).toBeUndefined()
  expect(cleanAnswers(questions, whole)).toEqual(whole)
  expect(answersFault(questions, { mapping: { text: 'text' } })).toBeUndefined()

  const decided = [table(['31/02/2025'])]
  expect(timeQuestions(decided, proposed).forms).toHaveLength(1)
  expect(cleanAnswers(decided, zoned).date_format).toBe('%d/%m/%Y')
})

test('private chats are not proposed, and neither are lists of what others posted', () => {
  const chats = [
    { id: '1', name: 'Club', type: 'private_supergroup', messages: 3 },
    { id: '2', name: 'Open Eyes', type: 'public_channel', messages: 9 },
    { id: '3', name: 'Unknown', type: '', messages: 1 },
  ]
  const question: Question = { name: 'chats', required: false }
  const parts: Question = { name: 'parts', required: true, proposed: ['liked', 'posts'] }
  const answers = proposedAnswers({ ...asked(question, parts), chats })
  expect(answers).toEqual({ chats: { 2: {} }, parts: ['posts'] })
  const only = proposedAnswers({ ...asked(question), chats: chats.slice(0, 1) })
  expect(only.chats).toEqual({ 1: {} })
  expect(publicFirst(chats).map(({ id }) => id)).toEqual(['2', '1', '3'])
  expect(answersFault([question], { chats: {} })).toBe('Choose at least one chat.')
  expect(answersFault([parts], { parts: [] })).toBe('Choose at least one list.')
  const named = withUsername(answers.chats ?? {}, '2', ' @open_eyes ')
  expect(cleanChats(named)).toEqual({ 2: { username: 'open_eyes' } })
  expect(withChat(named, '2')).toEqual({})
})

test('required texts are asked for, optional ones may stay empty', () => {
  const questions: Question[] = [
    { name: 'channel', required: true },
    { name: 'platform', required: false },
  ]
  expect(answersFault(questions, { channel: ' ' })).toBe('Enter: Channel.')
  expect(answersFault(questions, { channel: 'a' })).toBeUndefined()
  expect(cleanAnswers(questions, { channel: ' a ', platform: '' })).toEqual({ channel: 'a' })
})

test('texts: sizes, lines, encodings and reasons', () => {
  expect([0, 512, 1_400_000, 2 ** 31].map(formatBytes)).toEqual(['0 bytes', '512 bytes', '1.4 MB', '2.1 GB'])
  expect(linesText({ reason: 'ad', count: 1, lines: [3] })).toBe('line 3')
  expect(linesText({ reason: 'ad', count: 3, lines: [3, 1_200] })).toBe('lines 3, 1,200 …')
  expect(skipText('constructor')).toBe('constructor')
  expect(formatName('zeeschuimer')).toBe('Zeeschuimer')
  expect(firstLines(Uint8Array.of(0xe9, 0x0d, 0x0a, 0x62), 'windows-1252')).toEqual(['é', 'b'])
  expect(readFault(new DOMException('', 'QuotaExceededError'))).toContain('no space left')
  expect(readFault(Object.assign(new Error('It is damaged'), { name: 'RefusedError' }))).toBe(
    'It is damaged.',
  )
  expect(readFault(new TypeError('x is undefined'))).toBe('The file could not be read.')
})
