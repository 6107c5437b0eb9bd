import { postRecord, recordOf } from '../../records/of-draft.js'
import type { Cells } from '../../tables/cells.js'
import { draftOf, type FieldTable } from '../../tables/fields.js'
import type { RowContext, RowResult } from '../../tables/table.js'
import { addressOf } from '../../text/addresses.js'
import { countOf } from '../../text/counts.js'
import { exactId } from '../../text/ids.js'
import { secondsOf, timeOf } from '../../text/times.js'
import { namedAuthor } from './authors.js'

/** Columns by field of a record `tiktok`. `author_likes` counts given likes: it has no field. */
const AUTHOR_COUNTS = { author_follower_count: 'author_followers', author_video_count: 'author_videos' }
const STATS = { play_count: 'plays', digg_count: 'likes', comment_count: 'comments', share_count: 'shares' }
const SOUND = { sound_id: 'music_id', sound_name: 'music_name', sound_author: 'music_author' }

const values = <T>(columns: Readonly<Record<string, string>>, read: (column: string) => T) =>
  Object.fromEntries(Object.entries(columns).map(([field, column]) => [field, read(column)]))

/** 4CAT's columns of TikTok videos (`datasources/tiktok/search_tiktok.py`). */
export const readTiktok = (cells: Cells, { origin, warnings }: RowContext): RowResult => {
  const linked = addressOf(cells.get('tiktok_url', 'video_url') ?? '')
  const written = cells.get('id')
  const id =
    ('source' in linked && linked.source === 'tiktok' ? linked.id : undefined) ??
    (written && exactId(written))
  if (!id) return { skipped: written ? 'rounded-id' : 'no-id' }
  const time = cells.get('unix_timestamp')
  const create_time = secondsOf(timeOf(time))
  if (time && create_time === undefined) warnings.add('unreadable-time')
  const sound = cells.get('music_id')
  if (sound && !exactId(sound)) warnings.add('rounded-id')
  const text = (column: string) => (column === 'music_id' ? sound && exactId(sound) : cells.text(column))
  const count = (column: string) => countOf(cells.get(column))
  const author = namedAuthor({ handle: cells.get('author'), name: cells.text('author_full') })
  return recordOf('tiktok', origin, {
    main: { video_id: id, description: cells.text('body'), hashtags: cells.list('hashtags'), create_time },
    author: {
      author_unique_id: author?.handle,
      author_nickname: author?.name,
      ...values(AUTHOR_COUNTS, count),
    },
    stats: values(STATS, count),
    sound: values(SOUND, text),
    classification: {
      location_created: cells.get('location_created'),
      diversification_labels: cells.list('diversification_labels'),
    },
  })
}

/** 4CAT's columns of TikTok comments (`datasources/tiktok_comments/search_tiktok_comments.py`). */
const COMMENT: FieldTable = {
  id: 'id',
  text: 'body',
  language: 'language_guess',
  published_at: 'unix_timestamp',
  url: 'comment_url',
  'author.handle': 'author',
  'author.name': 'author_full',
  'metrics.likes': 'likes',
  'metrics.comments': 'replies',
}

export const readTiktokComment = (cells: Cells, { origin, warnings }: RowContext): RowResult => {
  const { author: stated, ...draft } = draftOf(cells, COMMENT, {}, warnings)
  const author = namedAuthor(stated)
  const id = draft.id && exactId(draft.id)
  if (!id) return { skipped: draft.id ? 'rounded-id' : 'no-id' }
  const video = cells.get('post_id')
  const isReply = cells.get('is_comment_on_comment') === 'yes'
  const answered = (isReply ? cells.get('thread_id') : undefined) ?? video
  const { handle } = author ?? {}
  // Without a name, the column contains the number after the sign.
  const [, number] = /^@(\d+)$/.exec(handle ?? '') ?? []
  return postRecord(
    {
      ...draft,
      id,
      platform: 'tiktok',
      type: 'comment',
      author: { ...author, id: number, handle: number ? undefined : handle },
      ...(video && { within: { type: 'video', id: video } }),
      relations: { ...(answered && { in_reply_to: { id: answered } }), thread_id: video },
    },
    origin,
  )
}
