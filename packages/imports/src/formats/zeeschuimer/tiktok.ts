import { at, countAt, firstText, idAt, idOf, listAt, textAt, textOf, timeFrom } from '../../json/fields.js'
import type { ItemContext, ItemResult } from '../../json/read.js'
import { filled, postRecord } from '../../records/of-draft.js'
import { secondsOf } from '../../text/times.js'

const tagsIn = (holder: unknown) => listAt(holder, 'textExtra').map(extra => textAt(extra, 'hashtagName'))

/** Returns the first list with a text, each text once. */
const firstTexts = (...lists: readonly (readonly unknown[])[]): string[] => {
  const texts = lists.map(list => list.flatMap(each => textOf(each) ?? [])).find(list => list.length > 0)
  return [...new Set(texts)]
}

/** Returns a count; the group with `V2` is exact where the older one overflows. */
const countIn = (item: unknown, group: string, ...names: string[]) =>
  countAt(at(item, `${group}V2`), ...names) ?? countAt(at(item, group), ...names)

export const readTiktok = (item: unknown, context: ItemContext): ItemResult => {
  if (at(item, 'liveRoomInfo') !== undefined) return { skipped: 'live' }
  const id = idAt(item, 'id') ?? idAt(item, 'video', 'id')
  if (!id) return { skipped: at(item, 'id') === undefined ? 'no-id' : 'rounded-id' }
  if (!/^\d+$/.test(id)) return { skipped: 'not-a-post' }
  const stat = (name: string) => countIn(item, 'stats', name)
  const authorStat = (...names: string[]) => countIn(item, 'authorStats', ...names)
  const words = listAt(item, 'videoSuggestWordsList', 'video_suggest_words_struct')
  return {
    source: 'tiktok',
    record: {
      collector_metadata: { fetch_timestamp: context.origin.fetched, source: `import:${context.origin.by}` },
      ...filled({
        main: {
          video_id: id,
          description: textAt(item, 'desc'),
          hashtags: firstTexts(
            tagsIn(item),
            listAt(item, 'contents').flatMap(tagsIn),
            listAt(item, 'challenges').map(challenge => at(challenge, 'title')),
          ),
          create_time: secondsOf(timeFrom(at(item, 'createTime'), context)),
        },
        author: {
          author_id: idAt(item, 'author', 'id') ?? idAt(item, 'authorId'),
          author_unique_id: textAt(item, 'author', 'uniqueId') ?? textAt(item, 'author'),
          author_nickname: textAt(item, 'author', 'nickname') ?? textAt(item, 'nickname'),
          author_description: textAt(item, 'author', 'signature'),
          author_following_count: authorStat('followingCount'),
          author_follower_count: authorStat('followerCount'),
          author_heart_count: authorStat('heartCount', 'heart'),
          author_video_count: authorStat('videoCount'),
        },
        stats: {
          play_count: stat('playCount'),
          digg_count: stat('diggCount'),
          comment_count: stat('commentCount'),
          share_count: stat('shareCount'),
          collect_count: stat('collectCount'),
          repost_count: stat('repostCount'),
        },
        sound: {
          sound_id: idOf(at(item, 'music', 'id'), context.warnings),
          sound_name: textAt(item, 'music', 'title'),
          sound_author: textAt(item, 'music', 'authorName'),
        },
        classification: {
          location_created: textAt(item, 'locationCreated'),
          diversification_labels: firstTexts(listAt(item, 'diversificationLabels')),
          suggested_words: firstTexts(
            listAt(item, 'suggestedWords'),
            words.flatMap(group => listAt(group, 'words')).map(word => at(word, 'word')),
          ),
        },
      }),
    },
  }
}

export const readTiktokComment = (item: unknown, { origin, ...context }: ItemContext): ItemResult => {
  const id = idAt(item, 'cid') ?? idAt(item, 'id')
  if (!id) return { skipped: at(item, 'cid') === undefined ? 'no-id' : 'rounded-id' }
  const video = idAt(item, 'aweme_id')
  const reply = idAt(item, 'reply_id')
  const answered = reply === undefined || reply === '0' ? video : reply
  const user = at(item, 'user')
  return postRecord(
    {
      platform: 'tiktok',
      id,
      type: 'comment',
      // Its parameters name the one who shared it.
      url: textAt(item, 'share_info', 'url')?.replace(/[?#].*$/s, ''),
      text: textAt(item, 'text'),
      language: textAt(item, 'comment_language'),
      published_at: timeFrom(at(item, 'create_time'), context),
      author: {
        id: idAt(user, 'uid'),
        handle: firstText(user, 'unique_id', 'uniqueId'),
        name: textAt(user, 'nickname'),
      },
      ...(video && { within: { type: 'video', id: video } }),
      relations: { ...(answered && { in_reply_to: { id: answered } }), thread_id: video },
      metrics: { likes: countAt(item, 'digg_count'), comments: countAt(item, 'reply_comment_total') },
    },
    origin,
  )
}
