import type { Reference } from '../../records/draft.js'
import { postRecord } from '../../records/of-draft.js'
import type { Cells } from '../../tables/cells.js'
import { draftOf, type FieldTable } from '../../tables/fields.js'
import type { RowContext, RowResult } from '../../tables/table.js'
import { addressOf, xUrl } from '../../text/addresses.js'
import { unescapeEntities } from '../../text/html.js'
import { exactId } from '../../text/ids.js'
import { timeOf } from '../../text/times.js'
import { namedAuthor } from './authors.js'

/** 4CAT's columns of X, of Zeeschuimer's data and of the API (`datasources/twitter-import`, `datasources/twitterv2`). */
const FIELDS: FieldTable = {
  text: 'body',
  language: 'language_guess',
  'author.id': 'author_id',
  'author.handle': 'author',
  'author.name': 'author_fullname',
  'author.followers': 'author_followers',
  'author.verified': 'verified',
  hashtags: 'hashtags',
  mentions: 'mentions',
  links: 'urls',
  images: 'images',
  videos: 'videos',
  'metrics.likes': 'like_count',
  'metrics.shares': 'retweet_count',
  'metrics.comments': 'reply_count',
  'metrics.quotes': 'quote_count',
  'metrics.views': 'impression_count',
  'location.name': 'place_name',
}

/** Posts of the API have the right time in `timestamp`, others in `unix_timestamp`. */
const timeOfRow = (cells: Cells): string | undefined =>
  cells.has('replied_user')
    ? timeOf(cells.get('timestamp'), { zone: 'UTC' })
    : timeOf(cells.get('unix_timestamp'))

const coordinates = (cell: string | undefined) => {
  const [, longitude, latitude] = /^(-?\d+(?:\.\d+)?),\s*(-?\d+(?:\.\d+)?)$/.exec(cell ?? '') ?? []
  return longitude && latitude ? { longitude: Number(longitude), latitude: Number(latitude) } : {}
}

const isYes = (cells: Cells, column: string) => cells.get(column) === 'yes'

const quoteOf = (cells: Cells): Reference | undefined => {
  if (!isYes(cells, 'is_quote_tweet')) return undefined
  const written = cells.get('quote_tweet_id')
  const id = written && exactId(written)
  const author = cells.get('quote_author', 'quoted_user')
  return id ? { id, url: xUrl(id, author), author } : { author }
}

export const readX = (cells: Cells, { origin, warnings }: RowContext): RowResult => {
  const linked = addressOf(cells.get('link') ?? '')
  const written = cells.get('id')
  const id = (written && exactId(written)) ?? ('platform' in linked ? linked.id : undefined)
  if (!id) return { skipped: written ? 'rounded-id' : 'no-id' }
  const { author: stated, ...draft } = draftOf(cells, FIELDS, {}, warnings)
  const author = namedAuthor(stated) ?? {}
  const published_at = timeOfRow(cells)
  if (!published_at && cells.get('unix_timestamp', 'timestamp')) warnings.add('unreadable-time')
  const isRepost = isYes(cells, 'is_retweet')
  // 4CAT writes the reposted author in front of the text.
  const text = unescapeEntities(isRepost ? (draft.text ?? '').replace(/^RT @\w+: /, '') : (draft.text ?? ''))
  const quoted = quoteOf(cells)
  const answered = isYes(cells, 'is_reply') ? cells.get('replied_author', 'replied_user') : undefined
  const { handle } = author
  const authorId = author.id && exactId(author.id)
  if (author.id && !authorId) warnings.add('rounded-id')
  return postRecord(
    {
      ...draft,
      platform: 'x',
      id,
      type: isRepost ? 'repost' : 'post',
      url: xUrl(id, handle),
      text,
      published_at,
      author: { ...author, id: authorId, url: handle && `https://x.com/${handle}` },
      relations: {
        thread_id: cells.get('thread_id'),
        ...(quoted && { quote_of: quoted }),
        ...(answered && { in_reply_to: { author: answered } }),
        ...(isRepost && { repost_of: { author: cells.get('retweeted_user') } }),
      },
      location: { ...draft.location, ...coordinates(cells.get('long_lat')) },
    },
    origin,
  )
}
