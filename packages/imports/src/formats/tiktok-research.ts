import { at, countAt, firstText, idAt, idOf, listAt, textAt, timeFrom } from '../json/fields.js'
import type { ItemContext, ItemResult, JsonFormat } from '../json/read.js'
import { filled, postRecord } from '../records/of-draft.js'
import { secondsOf } from '../text/times.js'

/* TikTok Research API (developers.tiktok.com, query videos and query video comments). Ids are JSON numbers. */

const isRounded = (value: unknown) => value !== undefined && idOf(value) === undefined

const readVideo = (item: unknown, context: ItemContext): ItemResult => {
  const id = idAt(item, 'id')
  if (!id) return { skipped: isRounded(at(item, 'id')) ? 'rounded-id' : 'no-id' }
  const named = listAt(item, 'hashtag_names')
  const listed = listAt(item, 'hashtag_info_list').map(tag => at(tag, 'hashtag_name'))
  const also = filled({
    voice_to_text: textAt(item, 'voice_to_text'),
    video_label: textAt(item, 'video_label', 'content'),
  })
  return {
    source: 'tiktok',
    record: {
      collector_metadata: { fetch_timestamp: context.origin.fetched, source: `import:${context.origin.by}` },
      ...filled({
        main: {
          video_id: id,
          description: textAt(item, 'video_description'),
          hashtags: [...new Set(named.length > 0 ? named : listed)].filter(
            tag => typeof tag === 'string' && tag,
          ),
          create_time: secondsOf(timeFrom(at(item, 'create_time'), context)),
        },
        author: { author_unique_id: firstText(item, 'username') },
        stats: {
          play_count: countAt(item, 'view_count'),
          digg_count: countAt(item, 'like_count'),
          comment_count: countAt(item, 'comment_count'),
          share_count: countAt(item, 'share_count'),
          collect_count: countAt(item, 'favorites_count', 'favourites_count'),
        },
        sound: { sound_id: idOf(at(item, 'music_id'), context.warnings) },
        classification: { location_created: textAt(item, 'region_code') },
      }),
    },
    ...(Object.keys(also).length > 0 && { also }),
  }
}

const readComment = (item: unknown, { origin, ...context }: ItemContext): ItemResult => {
  const id = idAt(item, 'id')
  if (!id) return { skipped: isRounded(at(item, 'id')) ? 'rounded-id' : 'no-id' }
  const video = idOf(at(item, 'video_id'), context.warnings)
  const parent = idAt(item, 'parent_comment_id')
  const answered = parent === undefined || parent === '0' ? video : parent
  return postRecord(
    {
      platform: 'tiktok',
      id,
      type: 'comment',
      text: textAt(item, 'text'),
      published_at: timeFrom(at(item, 'create_time'), context),
      ...(video && { within: { type: 'video', id: video } }),
      relations: { ...(answered && { in_reply_to: { id: answered } }), thread_id: video },
      metrics: { likes: countAt(item, 'like_count'), comments: countAt(item, 'reply_count') },
    },
    origin,
  )
}

export const tiktokResearchVideos: JsonFormat = {
  by: 'tiktok-research',
  lists: ['$.data.videos.*', '$.videos.*'],
  read: readVideo,
}
export const tiktokResearchComments: JsonFormat = {
  by: 'tiktok-research',
  lists: ['$.data.comments.*', '$.comments.*'],
  read: readComment,
}
