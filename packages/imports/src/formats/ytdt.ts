import { postRecord } from '../records/of-draft.js'
import { draftOf, type FieldTable } from '../tables/fields.js'
import type { TableFormat } from '../tables/table.js'
import { addressOf, youtubeUrl } from '../text/addresses.js'

/** Columns of YouTube Data Tools (bernorieder/YouTube-Data-Tools, `mod_videos_list.php`). Empty counts are hidden. */
const VIDEO: FieldTable = {
  id: 'videoId',
  title: 'videoTitle',
  text: 'videoDescription',
  language: ['defaultLAudioLanguage', 'defaultLanguage', 'defaultAudioLanguage'],
  published_at: ['publishedAt', 'publishedAtSQL'],
  'author.id': 'channelId',
  'author.name': 'channelTitle',
  images: 'thumbnail_maxres',
  'metrics.views': 'viewCount',
  'metrics.likes': 'likeCount',
  'metrics.dislikes': 'dislikeCount',
  'metrics.comments': 'commentCount',
  'location.name': 'locationDescription',
  'location.latitude': 'latitude',
  'location.longitude': 'longitude',
}

/** Columns of comments (`mod_video_comments.php`). The pseudonymous form lacks the channel. */
const COMMENT: FieldTable = {
  id: 'id',
  text: 'text',
  published_at: 'publishedAt',
  'author.id': 'authorChannelId',
  'author.name': 'authorName',
  'author.url': 'authorChannelUrl',
  'metrics.likes': 'likeCount',
  'metrics.comments': 'replyCount',
}

export const ytdtVideos: TableFormat = {
  by: 'ytdt',
  isPhp: true,
  hasHeader: header => ['videoId', 'channelId', 'videoTitle'].every(name => header.has(name)),
  read(cells, { origin, warnings }) {
    const draft = draftOf(cells, VIDEO, { zone: 'UTC' }, warnings)
    const { id, author } = draft
    if (!id) return { skipped: 'no-id' }
    const channel = author?.id
    return postRecord(
      {
        ...draft,
        platform: 'youtube',
        type: 'video',
        url: youtubeUrl(id),
        author: { ...author, url: channel && `https://www.youtube.com/channel/${channel}` },
      },
      origin,
    )
  },
}

/** Ids of the pseudonymous form: SHA-1. */
const PSEUDONYM = /^[0-9a-f]{40}$/

/** Returns the video of a file of comments as the user gives it: its id or its address. */
const videoOf = (written: string | undefined): string | undefined => {
  if (!written || /^[\w-]{6,20}$/.test(written.trim())) return written?.trim()
  const address = addressOf(written)
  return 'platform' in address && address.platform === 'youtube' ? address.id : undefined
}

export const ytdtComments: TableFormat = {
  by: 'ytdt',
  isPhp: true,
  hasHeader: header => ['id', 'replyCount', 'isReply', 'isReplyTo', 'text'].every(name => header.has(name)),
  read(cells, { answers, origin, warnings }) {
    const draft = draftOf(cells, COMMENT, { zone: answers.timezone ?? 'UTC' }, warnings)
    const { id, author } = draft
    if (!id) return { skipped: 'no-id' }
    const video = videoOf(answers.video_id)
    const parent = cells.get('isReplyTo') ?? /^([^.]+)\../.exec(id)?.[1]
    const isReply = /^(?:1|true|yes)$/i.test(cells.get('isReply') ?? '') || id.includes('.')
    const isPseudonym = PSEUDONYM.test(id)
    const [, handle] = /\/@([^/?#]+)/.exec(author?.url ?? '') ?? /^@(.+)$/.exec(author?.name ?? '') ?? []
    const named = isPseudonym || !author ? {} : { author: { ...author, handle } }
    const answered = isReply && parent ? parent : video
    return postRecord(
      {
        ...draft,
        author: {},
        ...named,
        platform: 'youtube',
        type: 'comment',
        url: video && !isPseudonym ? youtubeUrl(video, id) : undefined,
        ...(video && { within: { type: 'video', id: video, url: youtubeUrl(video) } }),
        relations: { ...(answered && { in_reply_to: { id: answered } }), thread_id: video },
      },
      origin,
    )
  },
}
