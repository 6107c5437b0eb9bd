import { recordOfAddress } from '../records/of-draft.js'
import { draftOf, type FieldTable } from '../tables/fields.js'
import type { TableFormat } from '../tables/table.js'
import { addressOf } from '../text/addresses.js'
import { isAddressSource } from './address-source.js'

/** Columns of Junkipedia's export (Solatrix/junkipedia-data-explorer, README). */
const FIELDS: FieldTable = {
  text: 'post_body_text',
  published_at: 'published_at',
  'author.name': 'ChannelName',
  'within.name': 'ChannelName',
  'metrics.views': 'ViewsCount',
  'metrics.likes': 'LikesCount',
  'metrics.shares': 'SharesCount',
  'metrics.comments': 'CommentsCount',
}

/** Posts of any platform: the kind of record comes from the post's URL. */
export const junkipedia: TableFormat = {
  by: 'junkipedia',
  hasHeader: header => ['PostId', 'ChannelName', 'PostUrl', 'post_body_text'].every(name => header.has(name)),
  read(cells, { origin, warnings }) {
    const { within, ...draft } = draftOf(cells, FIELDS, { zone: 'UTC' }, warnings)
    const written = cells.get('PostUrl')
    if (!written) return { skipped: 'no-id' }
    const address = addressOf(written)
    if (!isAddressSource(address)) return address
    // On other platforms, the channel is the author alone.
    return recordOfAddress(
      address,
      address.source === 'telegram' && within ? { ...draft, within } : draft,
      origin,
    )
  },
}
