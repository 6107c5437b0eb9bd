import type { Draft } from '../../records/draft.js'
import { postRecord } from '../../records/of-draft.js'
import type { Cells, Header } from '../../tables/cells.js'
import { draftOf, type FieldTable } from '../../tables/fields.js'
import type { RowContext, RowResult, Skip } from '../../tables/table.js'
import { addressOf } from '../../text/addresses.js'
import { mentionsIn } from '../../text/found.js'
import { exactId } from '../../text/ids.js'
import { namedAuthor } from './authors.js'
import { blueskyRelations } from './bluesky.js'

/** A data source of 4CAT whose rows are posts. */
interface PostSource {
  platform: string
  /** Columns that only this source has. */
  columns: readonly string[]
  fields: FieldTable
  /** Completes a draft, or skips the row. */
  complete?: (draft: Draft, cells: Cells) => Partial<Draft> | Skip
}

const profile = (url: (handle: string) => string) => (draft: Draft) => {
  const handle = draft.author?.handle
  return { author: { ...draft.author, url: handle && url(handle) } }
}

/** Instagram's media: the two lists have the pictures, and the files that these are, or are previews of. */
const instagramMedia = (cells: Cells): NonNullable<Draft['media']> => {
  const [pictures, files] = [cells.list('image_urls'), cells.list('media_urls')]
  const isVideo = cells.get('media_type') === 'video'
  const all = files.length > 0 ? files : pictures
  return all.map((url, at) => {
    const differs = cells.get('media_type') === 'mixed' && pictures[at] !== undefined && pictures[at] !== url
    return { type: isVideo || differs ? 'video' : 'image', url }
  })
}

const groupOf = (cells: Cells, id: string, name: string, url?: string): Partial<Draft> => {
  const group = cells.get(id)
  return group
    ? { within: { type: 'group', id: group, name: cells.text(name), url: url && cells.get(url) } }
    : {}
}

const latlong = (cell: string | undefined) => {
  const [, latitude, longitude] = /^(-?\d+(?:\.\d+)?),\s*(-?\d+(?:\.\d+)?)$/.exec(cell ?? '') ?? []
  return latitude && longitude ? { latitude: Number(latitude), longitude: Number(longitude) } : {}
}

const BODY = { id: 'id', text: 'body', url: 'url' }

/** Columns of 4CAT's data sources (digitalmethodsinitiative/4cat, `datasources`), the most specific first. */
const SOURCES: readonly PostSource[] = [
  {
    platform: 'instagram',
    columns: ['media_urls', 'location_latlong'],
    fields: {
      ...BODY,
      published_at: 'unix_timestamp',
      'author.id': 'author_id',
      'author.handle': 'author',
      'author.name': 'author_fullname',
      'author.verified': ['verified', 'is_verified'],
      'metrics.likes': 'num_likes',
      'metrics.comments': 'num_comments',
      'metrics.views': 'play_count',
      'location.name': 'location_name',
    },
    complete: (draft, cells) => ({
      ...profile(handle => `https://www.instagram.com/${handle}/`)(draft),
      url: `https://www.instagram.com/p/${draft.id}/`,
      mentions: mentionsIn(draft.text ?? ''),
      media: instagramMedia(cells),
      location: { ...draft.location, ...latlong(cells.get('location_latlong')) },
      metrics: { ...draft.metrics, ...(cells.get('likes_hidden') === 'yes' && { likes: undefined }) },
    }),
  },
  {
    platform: 'threads',
    columns: ['link_thumbnail_url', 'quotes'],
    fields: {
      ...BODY,
      published_at: 'unix_timestamp',
      'author.handle': 'author',
      'author.verified': 'author_is_verified',
      links: 'link_url',
      images: 'image_url',
      videos: 'video_url',
      audios: 'audio_url',
      'metrics.likes': 'likes',
      'metrics.shares': 'reposts',
      'metrics.comments': 'replies',
      'metrics.quotes': 'quotes',
    },
    complete: profile(handle => `https://www.threads.com/@${handle}`),
  },
  {
    platform: 'truthsocial',
    columns: ['account_verified', 'video_thumbs', 'reblogs_count'],
    fields: {
      ...BODY,
      published_at: ['created_at', 'timestamp'],
      'author.id': 'account_id',
      'author.handle': 'account_username',
      'author.name': 'account_display_name',
      'author.verified': 'account_verified',
      'author.followers': 'account_followers',
      'author.following': 'account_following',
      mentions: 'mentions',
      images: 'images',
      videos: 'video_urls',
      'metrics.shares': 'reblogs_count',
      'metrics.comments': 'replies_count',
    },
    complete: (draft, cells) => ({
      ...profile(handle => `https://truthsocial.com/@${handle}`)(draft),
      ...groupOf(cells, 'group_id', 'group_display_name'),
    }),
  },
  {
    platform: 'gab',
    columns: ['account_account', 'favourites_count'],
    fields: {
      ...BODY,
      published_at: ['created_at', 'timestamp'],
      'author.id': 'account_id',
      'author.handle': 'account_username',
      'author.name': 'account_display_name',
      'author.description': 'account_note',
      mentions: 'mentions',
      links: 'link_url',
      images: 'image_urls',
      videos: 'video_urls',
      'metrics.likes': 'favourites_count',
      'metrics.comments': 'replies_count',
      'metrics.shares': 'reblogs_count',
    },
    complete: (_, cells) => groupOf(cells, 'group_id', 'group_title', 'group_url'),
  },
  {
    platform: 'bluesky',
    columns: ['repost_count', 'replied_to_post', 'author_display_name'],
    fields: {
      id: 'id',
      text: 'body',
      published_at: ['created_at', 'timestamp'],
      'author.id': 'author_id',
      'author.handle': 'author',
      'author.name': 'author_display_name',
      mentions: 'mentions',
      links: 'links',
      images: 'images',
      'metrics.likes': 'like_count',
      'metrics.shares': 'repost_count',
      'metrics.comments': 'reply_count',
      'metrics.quotes': 'quote_count',
    },
    complete: blueskyRelations,
  },
  {
    platform: '9gag',
    columns: ['is_vote_masked', 'upvotes', 'subject'],
    fields: {
      ...BODY,
      title: 'subject',
      published_at: 'unix_timestamp',
      'author.handle': 'author',
      'author.name': 'author_name',
      'author.verified': 'author_verified',
      hashtags: 'tags',
      images: 'image_url',
      videos: 'video_url',
      'metrics.upvotes': 'upvotes',
      'metrics.downvotes': 'downvotes',
      'metrics.comments': 'comments',
    },
    // 4CAT names posts without an author by this placeholder.
    complete: draft => (draft.author?.handle === '9GAGGER' ? { author: {} } : {}),
  },
  {
    platform: 'imgur',
    columns: ['album_media', 'virality_score'],
    fields: {
      id: 'id',
      title: 'subject',
      text: 'body',
      url: 'post_url',
      published_at: 'timestamp',
      'author.id': 'author',
      'metrics.views': 'views',
      'metrics.upvotes': 'upvotes',
      'metrics.downvotes': 'downvotes',
      'metrics.comments': 'comments',
      'metrics.saves': 'favourites',
    },
    complete: (_, cells) => ({
      media: [{ type: cells.get('type') === 'video' ? 'video' : 'image', url: cells.get('media_url') }],
    }),
  },
  {
    platform: 'pinterest',
    columns: ['board_url', 'pinner_original'],
    fields: {
      ...BODY,
      title: 'subject',
      published_at: 'unix_timestamp',
      'author.handle': 'author',
      'author.name': 'author_fullname',
      'within.name': 'board',
      'within.url': 'board_url',
      images: 'image_url',
    },
    complete: draft => ({
      url: `https://www.pinterest.com/pin/${draft.id}/`,
      ...(draft.within && { within: { ...draft.within, type: 'board' } }),
    }),
  },
  {
    platform: 'linkedin',
    columns: ['inclusion_context', 'post_url'],
    fields: {
      id: 'id',
      text: 'body',
      url: 'post_url',
      'author.handle': 'author_username',
      'author.name': 'author_name',
      'author.description': 'author_description',
      'author.url': 'author_url',
      hashtags: 'hashtags',
      links: 'link_url',
      images: 'image_urls',
      'metrics.comments': ['comments', 'metrics_comments'],
      'metrics.shares': ['shares', 'metrics_shares'],
      'metrics.reactions': ['reactions', 'metrics_reactions'],
    },
    // The posting time is computed from a rounded age, so it is left out.
    complete: draft => {
      const address = addressOf(draft.url ?? '')
      return 'platform' in address ? { id: address.id, url: address.url } : {}
    },
  },
  {
    platform: 'douyin',
    columns: ['digg_count', 'author_profile_url', 'part_of_collection'],
    fields: {
      id: 'id',
      text: 'body',
      url: 'post_url',
      published_at: 'unix_timestamp',
      'author.id': 'author_user_id',
      'author.name': 'author_nickname',
      'author.url': 'author_profile_url',
      hashtags: 'hashtags',
      images: 'image_urls',
      // `play_count` is 0 for all.
      'metrics.likes': 'digg_count',
      'metrics.comments': 'comment_count',
      'metrics.shares': 'share_count',
      'metrics.saves': 'collect_count',
    },
    complete: (_, cells) => (cells.get('subject') === 'Stream' ? { skipped: 'live' } : { type: 'video' }),
  },
  {
    platform: 'xiaohongshu',
    columns: ['ip_location', 'replies', 'thread_id'],
    fields: {
      ...BODY,
      published_at: 'unix_timestamp',
      'author.name': 'author',
      'location.name': 'ip_location',
      'metrics.likes': 'likes',
      'metrics.comments': 'replies',
    },
    complete: (_, cells) => {
      const note = cells.get('thread_id')
      return {
        type: 'comment',
        ...(note && { within: { type: 'post', id: note } }),
        relations: { ...(note && { in_reply_to: { id: note } }), thread_id: note },
      }
    },
  },
  {
    platform: 'xiaohongshu',
    columns: ['title', 'author_avatar_url', 'likes', 'video_url'],
    fields: {
      ...BODY,
      title: 'title',
      published_at: 'unix_timestamp',
      'author.name': 'author',
      images: ['image_urls', 'image_url'],
      'metrics.likes': 'likes',
    },
    complete: draft => ({ url: `https://www.xiaohongshu.com/explore/${draft.id}` }),
  },
  {
    platform: 'facebook',
    columns: ['is_in_group', 'group_name'],
    fields: {
      ...BODY,
      published_at: 'unix_timestamp',
      'author.handle': 'author',
      'author.name': 'author_name',
      images: 'image_url',
      videos: 'video_url',
    },
    complete: (_, cells) => {
      const group = cells.get('is_in_group') === 'yes' ? cells.text('group_name') : undefined
      return group ? { within: { type: 'group', name: group } } : {}
    },
  },
]

/** Returns the data source with these columns. */
export const postSourceOf = (header: Header): PostSource | undefined =>
  SOURCES.find(({ columns }) => header.has('id') && columns.every(column => header.has(column)))

export const readPost = (source: PostSource, cells: Cells, { origin, warnings }: RowContext): RowResult => {
  const { author, ...rest } = draftOf(cells, source.fields, { zone: 'UTC' }, warnings)
  const draft: Draft = { ...rest, author: namedAuthor(author) }
  const linked = addressOf(draft.url ?? '')
  const id = (draft.id && exactId(draft.id)) ?? ('platform' in linked ? linked.id : undefined)
  if (!id) return { skipped: draft.id ? 'rounded-id' : 'no-id' }
  const completed = source.complete?.({ ...draft, id }, cells) ?? {}
  if ('skipped' in completed) return completed
  return postRecord({ ...draft, id, platform: source.platform, ...completed }, origin)
}
