import { RECORD_SCHEMAS, type TelegramRecord } from '@iodine/contracts'
import { expect, it } from 'vitest'
import { completeRecord, type RecordItem } from '../src/index.js'

const record: TelegramRecord = {
  collector_metadata: { fetch_timestamp: '2025-11-20T09:00:00.000Z', source: 'import:telethon' },
  telegram: { post: { url: 'https://t.me/lanternay_example/1' } },
  context: { edited: true },
}
const complete = (also: RecordItem['also']) =>
  completeRecord({ source: 'telegram', record, at: 1, ...(also && { also }) })

it('moves counts, replies and times of edits into the context', () => {
  const metrics = { views: 0, shares: 8 }
  const in_reply_to = 'https://t.me/lanternay_example/10'
  const edited_at = '2025-11-13T03:13:20.000Z'
  const completed = complete({ metrics, in_reply_to, edited_at, voice_to_text: 'off', signature: 'Desk A' })
  expect(completed).toEqual({
    ...record,
    context: { edited: true, metrics, in_reply_to, edited_at, transcript: 'off' },
  })
  expect(RECORD_SCHEMAS.telegram.safeParse(completed).success).toBe(true)
})

it('leaves out values that the context refuses', () => {
  expect(complete({ metrics: { Views: -1 }, in_reply_to: 'javascript:alert(1)', signature: 'x' })).toBe(
    record,
  )
  expect(complete(undefined)).toBe(record)
})
