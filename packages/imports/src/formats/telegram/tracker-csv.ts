import { messageRecord } from '../../records/of-draft.js'
import { draftOf, type FieldTable } from '../../tables/fields.js'
import type { TableFormat } from '../../tables/table.js'
import { linksIn } from '../../text/found.js'

/** Columns of telegram-tracker (estebanpdl/telegram-tracker, `msgs_dataset.csv`). 0 stands for no views, too. */
const FIELDS: FieldTable = {
  text: 'message',
  published_at: 'date',
  'metrics.views': 'views',
  'metrics.shares': 'number_forwards',
  'metrics.comments': 'number_replies',
}

const MEDIA = new Map([
  ['MessageMediaPhoto', 'image'],
  ['MessageMediaDocument', 'document'],
])

const isYes = (cell: string | undefined) => /^(?:1|1\.0|true)$/i.test(cell ?? '')

export const telegramTrackerCsv: TableFormat = {
  by: 'telegram-tracker',
  hasHeader: header => ['channel_name', 'msg_id', 'message', 'msg_link'].every(name => header.has(name)),
  read(cells, { origin, warnings }) {
    const [, linked] = /\/(\d+)\/?$/.exec(cells.get('msg_link') ?? '') ?? []
    const id = cells.get('msg_id')?.replace(/\.0$/, '') ?? linked
    const channel = cells.get('channel_name', 'channel_id')
    if (!id) return { skipped: 'no-id' }
    if (!channel) return { skipped: 'no-address' }
    const draft = draftOf(cells, FIELDS, { zone: 'UTC' }, warnings)
    // A row keeps the URL and media of an earlier one unless it has its own.
    const hasUrl = isYes(cells.get('has_url'))
    const type = isYes(cells.get('contains_media')) ? MEDIA.get(cells.get('media_type') ?? '') : undefined
    const link = hasUrl ? cells.get('url') : undefined
    const reply = isYes(cells.get('is_reply')) ? cells.get('reply_msg_link') : undefined
    const isForward = isYes(cells.get('is_forward'))
    return messageRecord(
      channel,
      id,
      {
        ...draft,
        ...(link && { links: [link, ...linksIn(draft.text ?? '')] }),
        ...(type && { media: [{ type }] }),
        relations: {
          ...(reply && { in_reply_to: { url: reply } }),
          ...(isForward && {
            repost_of: {
              author: cells.get('forward_msg_from_peer_name'),
              url: cells.get('forward_msg_link'),
            },
          }),
        },
      },
      origin,
    )
  },
}
