import { idAt, textAt, timeFrom } from '../../json/fields.js'
import type { JsonFormat } from '../../json/read.js'
import { messageRecord } from '../../records/of-draft.js'
import { telegramUrl } from '../../text/addresses.js'

const MEDIA: Record<string, string> = { MessageMediaPhoto: 'image', MessageMediaDocument: 'document' }

/** Messages of telegram-scraper (unnohwn/telegram-scraper). The channel is only in the name of the file. */
export const telegramScraper: JsonFormat = {
  by: 'telegram-scraper',
  lists: [],
  read(item, { answers, origin, warnings }) {
    const channel = answers.channel ?? answers.username
    const id = idAt(item, 'message_id')
    if (!id) return { skipped: 'no-id' }
    if (!channel) return { skipped: 'no-address' }
    const name = [textAt(item, 'first_name'), textAt(item, 'last_name')].filter(Boolean).join(' ')
    const medium = MEDIA[textAt(item, 'media_type') ?? '']
    const reply = idAt(item, 'reply_to')
    const draft = {
      text: textAt(item, 'message'),
      published_at: timeFrom(textAt(item, 'date'), { warnings }, { zone: 'UTC' }),
      author: { name: name || undefined },
      ...(medium && { media: [{ type: medium }] }),
      ...(reply && { relations: { in_reply_to: { url: telegramUrl(channel, reply) } } }),
    }
    return messageRecord(channel, id, draft, origin)
  },
}
