import { at, countAt, firstText, flagAt, idAt, listAt, textAt, textOf, timeFrom } from '../../json/fields.js'
import type { ItemContext, ItemResult } from '../../json/read.js'
import type { Draft } from '../../records/draft.js'
import { postRecord } from '../../records/of-draft.js'
import { absoluteUrl } from '../../text/html.js'

/* Posts of Pinterest, 9gag and Imgur. */

const idIn = (item: unknown, ...keys: string[]) =>
  keys.map(key => idAt(item, key)).find(id => id !== undefined)
const noId = (item: unknown): ItemResult => ({
  skipped: at(item, 'id') === undefined ? 'no-id' : 'rounded-id',
})

const boardOf = (pin: unknown): Draft['within'] | undefined => {
  const board = at(pin, 'board')
  const url = absoluteUrl(textAt(board, 'url'), 'https://www.pinterest.com/')
  return board === undefined
    ? undefined
    : { type: 'board', id: idIn(board, 'id', 'entityId'), name: textAt(board, 'name'), url }
}

export const readPinterest = (pin: unknown, context: ItemContext): ItemResult => {
  const id = idIn(pin, 'entityId', 'id')
  if (!id) return noId(pin)
  const pinner = at(pin, 'pinner')
  const within = boardOf(pin)
  const link = textAt(pin, 'link')
  const image =
    textAt(pin, 'images', 'orig', 'url') ?? textAt(pin, 'imageSpec_orig', 'url') ?? textAt(pin, 'image')
  const tags = listAt(pin, 'tags').flatMap(tag => textOf(tag) ?? [])
  const record = postRecord(
    {
      platform: 'pinterest',
      id,
      type: 'post',
      url: `https://www.pinterest.com/pin/${id}/`,
      title: textAt(pin, 'title')?.trim(),
      text: firstText(pin, 'description', 'body')?.trim(),
      published_at: timeFrom(at(pin, 'created_at') ?? at(pin, 'createdAt'), context),
      author: {
        id: idIn(pinner, 'id', 'entityId'),
        handle: textAt(pinner, 'username'),
        name: firstText(pinner, 'full_name', 'fullName'),
        followers: countAt(pinner, 'follower_count', 'followerCount'),
      },
      ...(within && { within }),
      hashtags: tags,
      ...(link && { links: [link] }),
      media: [{ type: 'image', url: image, alt: firstText(pin, 'auto_alt_text', 'alt_text') }],
      metrics: {
        saves: countAt(pin, 'repin_count', 'repinCount'),
        comments: countAt(pin, 'comment_count', 'commentCount'),
      },
    },
    context.origin,
  )
  return { ...record, partial: textAt(pin, '_zs-origin') === 'html' }
}

/** Values by which 9gag says that a file has sound. */
const AUDIBLE = new Set<unknown>([1, '1', true, 'true'])

const nineGagMedia = (item: unknown): Draft['media'] => {
  const images = at(item, 'images')
  const all = typeof images === 'object' && images !== null ? Object.values(images) : []
  const video = all.find(image => AUDIBLE.has(at(image, 'hasAudio')) && textAt(image, 'url'))
  if (video) return [{ type: 'video', url: textAt(video, 'url') }]
  const silent = all.find(image => at(image, 'hasAudio') !== undefined && textAt(image, 'url'))
  if (silent) return [{ type: 'gif', url: textAt(silent, 'url') }]
  const url = textAt(images, 'image700', 'url') ?? textAt(images, 'image460', 'url') ?? textAt(all[0], 'url')
  return url ? [{ type: 'image', url }] : []
}

export const readNineGag = (item: unknown, context: ItemContext): ItemResult => {
  const id = idAt(item, 'id')
  if (!id) return noId(item)
  const creator = at(item, 'creator')
  const source = textAt(item, 'sourceUrl')
  return postRecord(
    {
      platform: '9gag',
      id,
      type: 'post',
      url: textAt(item, 'url'),
      title: textAt(item, 'title'),
      text: textAt(item, 'description'),
      published_at: timeFrom(at(item, 'creationTs'), context),
      author: {
        handle: textAt(creator, 'username'),
        name: textAt(creator, 'fullName'),
        verified: flagAt(creator, 'isVerifiedAccount'),
      },
      hashtags: listAt(item, 'tags').flatMap(tag => textAt(tag, 'key') ?? []),
      ...(source && { links: [source] }),
      media: nineGagMedia(item),
      metrics: {
        upvotes: countAt(item, 'upVoteCount'),
        downvotes: countAt(item, 'downVoteCount'),
        comments: countAt(item, 'commentsCount'),
      },
    },
    context.origin,
  )
}

export const readImgur = (item: unknown, context: ItemContext): ItemResult => {
  const id = idAt(item, 'id')
  if (!id) return noId(item)
  const cover = at(item, 'cover')
  const isVideo = textAt(cover, 'type')?.startsWith('video') ?? false
  return postRecord(
    {
      platform: 'imgur',
      id,
      type: 'post',
      url: textAt(item, 'url'),
      title: textAt(item, 'title'),
      text: textAt(item, 'description'),
      published_at: timeFrom(at(item, 'created_at'), context),
      author: {
        id: idAt(item, 'account_id') ?? idAt(item, 'account', 'id'),
        handle: textAt(item, 'account', 'username'),
      },
      hashtags: listAt(item, 'tags').flatMap(tag => firstText(tag, 'tag', 'name') ?? []),
      media: [{ type: isVideo ? 'video' : 'image', url: textAt(cover, 'url') }],
      metrics: {
        views: countAt(item, 'view_count'),
        upvotes: countAt(item, 'upvote_count'),
        downvotes: countAt(item, 'downvote_count'),
        comments: countAt(item, 'comment_count'),
        saves: countAt(item, 'favorite_count'),
      },
    },
    context.origin,
  )
}
