import type { Draft, Reference } from '../records/draft.js'
import { postRecord } from '../records/of-draft.js'
import type { Cells } from '../tables/cells.js'
import { draftOf, type FieldTable } from '../tables/fields.js'
import type { TableFormat } from '../tables/table.js'
import { xUrl } from '../text/addresses.js'
import { unescapeEntities } from '../text/html.js'
import { exactId } from '../text/ids.js'
import { timeOf } from '../text/times.js'

/** Columns of twarc-csv (DocNow/twarc-csv, `dataframe_converter.py`). */
const FIELDS: FieldTable = {
  text: 'text',
  language: 'lang',
  published_at: 'created_at',
  'author.id': ['author.id', 'author_id'],
  'author.handle': 'author.username',
  'author.name': 'author.name',
  'author.description': 'author.description',
  'author.followers': 'author.public_metrics.followers_count',
  'author.following': 'author.public_metrics.following_count',
  'author.posts': 'author.public_metrics.tweet_count',
  'author.verified': 'author.verified',
  hashtags: 'entities.hashtags',
  mentions: 'entities.mentions',
  'metrics.likes': 'public_metrics.like_count',
  'metrics.shares': 'public_metrics.retweet_count',
  'metrics.comments': 'public_metrics.reply_count',
  'metrics.quotes': 'public_metrics.quote_count',
  'metrics.saves': 'public_metrics.bookmark_count',
  'metrics.views': 'public_metrics.impression_count',
  'location.name': ['geo.full_name', 'geo.name'],
  'location.country': ['geo.country_code', 'geo.country'],
}

const MEDIA_TYPES: Record<string, string> = { photo: 'image', video: 'video', animated_gif: 'gif' }

interface Medium {
  type?: string
  url?: string
  alt_text?: string
  preview_image_url?: string
  variants?: { bit_rate?: number; url?: string; content_type?: string }[]
}

const parsed = (cell: string | undefined): unknown => {
  try {
    return cell === undefined ? undefined : JSON.parse(cell)
  } catch {
    return undefined
  }
}

/** Returns the media of a JSON cell: of a video, its variant with the highest bit rate. */
const mediaOf = (cell: string | undefined): NonNullable<Draft['media']> => {
  const media = parsed(cell)
  if (!Array.isArray(media)) return []
  return (media as Medium[]).flatMap(({ type = '', url, alt_text, preview_image_url, variants }) => {
    const kind = Object.hasOwn(MEDIA_TYPES, type) ? MEDIA_TYPES[type] : undefined
    const best = variants?.filter(each => each.url && each.content_type !== 'application/x-mpegURL')
    const largest = best?.sort((a, b) => (b.bit_rate ?? 0) - (a.bit_rate ?? 0))[0]?.url
    return kind ? [{ type: kind, url: largest ?? url ?? preview_image_url, alt: alt_text }] : []
  })
}

/** Returns expanded links: of texts, and of objects of the API. Links to attached pictures have no scheme. */
const linksOf = (cells: Cells): string[] => {
  const entities = parsed(cells.get('entities.urls'))
  const links = Array.isArray(entities)
    ? (entities as (string | { expanded_url?: string; unwound_url?: string })[]).map(each =>
        typeof each === 'string' ? each : (each.unwound_url ?? each.expanded_url ?? ''),
      )
    : cells.list('entities.urls')
  return links.filter(link => /^https?:\/\//.test(link))
}

const referenceOf = (written: string | undefined, author: string | undefined): Reference | undefined => {
  const id = written && exactId(written)
  if (id) return { id, url: xUrl(id, author), author }
  return written ? { author } : undefined
}

/** Restores line breaks that twarc-csv writes as two characters. */
const lines = (text: string | undefined): string | undefined => text?.replace(/\\r\\n|\\[nr]/g, '\n')

export const twarcCsv: TableFormat = {
  by: 'twarc-csv',
  hasHeader: header =>
    ['id', 'author_id', 'public_metrics.like_count', 'referenced_tweets.retweeted.id'].every(name =>
      header.has(name),
    ),
  read(cells, { origin, warnings }) {
    const written = cells.get('id')
    if (!written) return { skipped: 'no-id' }
    const id = exactId(written)
    if (!id) return { skipped: 'rounded-id' }
    const { author = {}, text, ...draft } = draftOf(cells, FIELDS, { zone: 'UTC' }, warnings)
    const reposted = referenceOf(cells.get('referenced_tweets.retweeted.id'), cells.get('retweeted_username'))
    const quoted = referenceOf(cells.get('referenced_tweets.quoted.id'), cells.get('quoted_username'))
    const answered = referenceOf(
      cells.get('referenced_tweets.replied_to.id'),
      cells.get('in_reply_to_username'),
    )
    const { handle } = author
    const retrieved = timeOf(cells.get('__twarc.retrieved_at'), { zone: 'UTC' })
    return postRecord(
      {
        ...draft,
        platform: 'x',
        id,
        type: reposted ? 'repost' : 'post',
        url: xUrl(id, handle),
        text: text && unescapeEntities(lines(text) ?? ''),
        author: {
          ...author,
          description: lines(author.description),
          url: handle && `https://x.com/${handle}`,
        },
        relations: {
          thread_id: cells.get('conversation_id'),
          ...(answered && { in_reply_to: answered }),
          ...(quoted && { quote_of: quoted }),
          ...(reposted && { repost_of: reposted }),
        },
        links: linksOf(cells),
        media: mediaOf(cells.get('attachments.media')),
      },
      { ...origin, fetched: retrieved ?? origin.fetched },
    )
  },
}
