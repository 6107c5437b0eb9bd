import { messageRecord } from '../../records/of-draft.js'
import type { Cells } from '../../tables/cells.js'
import { draftOf, type FieldTable } from '../../tables/fields.js'
import type { RowContext, RowResult } from '../../tables/table.js'
import { telegramUrl } from '../../text/addresses.js'
import { linksIn } from '../../text/found.js'
import { namedAuthor } from './authors.js'

/** 4CAT's columns of Telegram (`datasources/telegram/search_telegram.py`). `timestamp` is the server's local time. */
const FIELDS: FieldTable = {
  text: 'body',
  published_at: 'unix_timestamp',
  edited_at: 'unix_timestamp_edited',
  'author.name': 'author_name',
  'metrics.views': 'views',
}

/** Attachments that are no files. */
const NO_FILE = new Set([
  'url',
  'poll',
  'geo',
  'geo_live',
  'contact',
  'venue',
  'invoice',
  'game',
  'unsupported',
])

const mediaOf = (type: string | undefined) =>
  type === undefined || NO_FILE.has(type) ? [] : [{ type: type === 'photo' ? 'image' : 'document' }]

export const readTelegram = (cells: Cells, { origin, warnings }: RowContext): RowResult => {
  const channel = cells.get('chat', 'thread_id')
  const [, id] = /-(\d+)$/.exec(cells.get('id') ?? '') ?? []
  if (!id) return { skipped: 'no-id' }
  if (!channel) return { skipped: 'no-address' }
  const draft = draftOf(cells, FIELDS, {}, warnings)
  const reply = cells.get('reply_to')?.replace(/\.0$/, '')
  const forwarder = cells.get('author_forwarded_from_username')
  const attached = cells.get('link_attached')
  const links = [
    ...(attached ? [attached] : []),
    ...linksIn(draft.text ?? ''),
    ...cells.list('entities_mentioned').map(name => `https://t.me/${name}`),
  ]
  return messageRecord(
    channel,
    id,
    {
      ...draft,
      author: namedAuthor(draft.author),
      links,
      media: mediaOf(cells.get('attachment_type')),
      relations: {
        ...(reply && { in_reply_to: { url: telegramUrl(channel, reply) } }),
        repost_of: {
          author: cells.text('author_forwarded_from_name'),
          url: forwarder && `https://t.me/${forwarder}`,
        },
      },
    },
    origin,
  )
}
