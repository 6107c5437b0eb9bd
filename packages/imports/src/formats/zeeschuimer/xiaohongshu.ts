import { at, countAt, firstText, idAt, listAt, textAt, timeFrom } from '../../json/fields.js'
import type { ItemContext, ItemResult } from '../../json/read.js'
import { postRecord } from '../../records/of-draft.js'

/* Notes and comments of Xiaohongshu (RedNote), with keys in snake case or camel case. */

const firstOf = (item: unknown, ...keys: string[]) =>
  keys.map(key => at(item, key)).find(value => value !== undefined)

const noteUrl = (id: string) => `https://www.xiaohongshu.com/explore/${id}`

const imageUrl = (image: unknown) =>
  firstText(image, 'urlDefault', 'url_default', 'url') ??
  textAt(firstOf(image, 'infoList', 'info_list'), 0, 'url')

export const readXiaohongshu = (item: unknown, context: ItemContext): ItemResult => {
  const note = firstOf(item, 'note', 'note_card', 'noteCard')
  if (note === undefined) return { skipped: 'no-content' }
  const id = firstText(note, 'noteId', 'note_id') ?? firstText(item, 'id', 'noteId', 'note_id')
  if (!id) return { skipped: 'no-id' }
  const user = at(note, 'user')
  const userId = idAt(user, 'userId') ?? idAt(user, 'user_id')
  const counts = firstOf(note, 'interactInfo', 'interact_info')
  const listed = firstOf(note, 'imageList', 'image_list')
  const images = Array.isArray(listed) && listed.length > 0 ? listed : [at(note, 'cover')]
  const tags = firstOf(note, 'tagList', 'tag_list')
  return postRecord(
    {
      platform: 'xiaohongshu',
      id,
      type: textAt(note, 'type') === 'video' ? 'video' : 'post',
      url: noteUrl(id),
      title: firstText(note, 'title', 'display_title', 'displayTitle'),
      text: textAt(note, 'desc'),
      published_at: timeFrom(at(note, 'time'), context),
      author: {
        id: userId,
        name: firstText(user, 'nickname', 'nick_name', 'nickName'),
        url: userId && `https://www.xiaohongshu.com/user/profile/${userId}`,
      },
      hashtags: listAt([tags], 0).flatMap(tag => textAt(tag, 'name') ?? []),
      media: images.map(image => ({ type: 'image', url: imageUrl(image) })),
      metrics: {
        likes: countAt(counts, 'likedCount', 'liked_count'),
        saves: countAt(counts, 'collectedCount', 'collected_count'),
        comments: countAt(counts, 'commentCount', 'comment_count'),
        shares: countAt(counts, 'shareCount', 'share_count', 'sharedCount', 'shared_count'),
      },
      location: { name: firstText(note, 'ipLocation', 'ip_location') },
    },
    context.origin,
  )
}

export const readXiaohongshuComment = (item: unknown, context: ItemContext): ItemResult => {
  const id = idAt(item, 'id')
  if (!id) return { skipped: 'no-id' }
  const note = firstText(item, 'note_id', 'noteId')
  const answered = firstText(firstOf(item, 'target_comment', 'targetComment'), 'id') ?? note
  const user = firstOf(item, 'user_info', 'userInfo')
  return postRecord(
    {
      platform: 'xiaohongshu',
      id,
      type: 'comment',
      url: note && noteUrl(note),
      text: textAt(item, 'content'),
      published_at: timeFrom(firstOf(item, 'create_time', 'createTime'), context),
      author: { id: idAt(user, 'user_id') ?? idAt(user, 'userId'), name: textAt(user, 'nickname') },
      ...(note && { within: { type: 'post', id: note } }),
      relations: { ...(answered && { in_reply_to: { id: answered } }), thread_id: note },
      metrics: {
        likes: countAt(item, 'like_count', 'likeCount'),
        comments: countAt(item, 'sub_comment_count', 'subCommentCount'),
      },
      location: { name: firstText(item, 'ip_location', 'ipLocation') },
    },
    context.origin,
  )
}
