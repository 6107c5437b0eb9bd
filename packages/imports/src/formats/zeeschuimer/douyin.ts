import { at, countAt, firstText, idAt, listAt, textAt, timeFrom } from '../../json/fields.js'
import type { ItemContext, ItemResult } from '../../json/read.js'
import { postRecord } from '../../records/of-draft.js'

const isPresent = (value: unknown) => value !== undefined && value !== '$undefined' && value !== ''
const LIVE = ['cell_room', 'cellRoom', 'rawdata']

/** Reads a video of Douyin, in snake case of its API or in camel case of its pages. Its number of plays is always 0. */
export const readDouyin = (item: unknown, context: ItemContext): ItemResult => {
  if (LIVE.some(key => isPresent(at(item, key)))) return { skipped: 'live' }
  const id = idAt(item, 'aweme_id') ?? idAt(item, 'awemeId') ?? idAt(item, 'id')
  if (!id) return { skipped: at(item, 'id') === undefined ? 'no-id' : 'rounded-id' }
  const author = at(item, 'author') ?? at(item, 'authorInfo')
  const counts = at(item, 'statistics') ?? at(item, 'stats')
  const secret = firstText(author, 'sec_uid', 'secUid')
  const extras = [...listAt(item, 'text_extra'), ...listAt(item, 'textExtra')]
  return postRecord(
    {
      platform: 'douyin',
      id,
      type: 'video',
      url: `https://www.douyin.com/video/${id}`,
      text: textAt(item, 'desc'),
      published_at: timeFrom(at(item, 'create_time') ?? at(item, 'createTime'), context),
      author: {
        id: idAt(author, 'uid'),
        handle: firstText(author, 'unique_id', 'uniqueId'),
        name: textAt(author, 'nickname'),
        url: secret && `https://www.douyin.com/user/${secret}`,
        followers: countAt(author, 'follower_count', 'followerCount'),
      },
      hashtags: extras.flatMap(extra => firstText(extra, 'hashtag_name', 'hashtagName') ?? []),
      metrics: {
        likes: countAt(counts, 'digg_count', 'diggCount'),
        comments: countAt(counts, 'comment_count', 'commentCount'),
        shares: countAt(counts, 'share_count', 'shareCount'),
        saves: countAt(counts, 'collect_count', 'collectCount'),
      },
      location: { country: textAt(item, 'region') },
    },
    context.origin,
  )
}
