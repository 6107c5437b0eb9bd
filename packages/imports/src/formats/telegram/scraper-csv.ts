import { messageRecord } from '../../records/of-draft.js'
import { draftOf, type FieldTable } from '../../tables/fields.js'
import type { TableFormat } from '../../tables/table.js'
import { telegramUrl } from '../../text/addresses.js'

/** Columns of telegram-scraper (unnohwn/telegram-scraper). The channel is in the file's name alone. */
const FIELDS: FieldTable = { text: 'message', published_at: 'date' }

const MEDIA = new Map([
  ['MessageMediaPhoto', 'image'],
  ['MessageMediaDocument', 'document'],
])

export const telegramScraperCsv: TableFormat = {
  by: 'telegram-scraper',
  hasHeader: header => ['message_id', 'sender_id', 'media_path', 'message'].every(name => header.has(name)),
  read(cells, { answers, origin, warnings }) {
    const id = cells.get('message_id')?.replace(/\.0$/, '')
    const channel = answers.channel ?? answers.username
    if (!id) return { skipped: 'no-id' }
    if (!channel) return { skipped: 'no-address' }
    const draft = draftOf(cells, FIELDS, { zone: 'UTC' }, warnings)
    const name = [cells.text('first_name'), cells.text('last_name')].filter(Boolean).join(' ')
    const type = MEDIA.get(cells.get('media_type') ?? '')
    const reply = cells.get('reply_to')?.replace(/\.0$/, '')
    return messageRecord(
      channel,
      id,
      {
        ...draft,
        author: { name },
        ...(type && { media: [{ type }] }),
        ...(reply && { relations: { in_reply_to: { url: telegramUrl(channel, reply) } } }),
      },
      origin,
    )
  },
}
