import {
  at,
  bestVariant,
  countAt,
  firstText,
  flagAt,
  idAt,
  listAt,
  numberAt,
  textAt,
  textOf,
  timeFrom,
} from '../json/fields.js'
import type { ItemContext, ItemResult, JsonFormat } from '../json/read.js'
import { recordOfAddress } from '../records/of-draft.js'
import { addressOf } from '../text/addresses.js'
import { unescapeEntities } from '../text/html.js'
import { isAddressSource } from './address-source.js'
import { referenceTo, withoutOwnMedia, type XPost, xRecord } from './x-posts.js'

/* Posts of snscrape and twscrape. Tools with doubles round the ids; those in URLs are exact. */

const idOfPost = (post: unknown): string | undefined =>
  /\/status\/(\d+)/.exec(textAt(post, 'url') ?? '')?.[1] ?? idAt(post, 'id_str') ?? idAt(post, 'id')

const typeOfMedium = (medium: unknown): string => {
  const type = textAt(medium, '_type') ?? textAt(medium, 'type') ?? ''
  return /gif/i.test(type) ? 'gif' : /video/i.test(type) ? 'video' : 'image'
}

const mediaOf = (post: unknown) => {
  const media = at(post, 'media')
  if (Array.isArray(media))
    return media.map(medium => ({
      type: typeOfMedium(medium),
      url:
        bestVariant(listAt(medium, 'variants'), 'bitrate', 'contentType') ??
        firstText(medium, 'fullUrl', 'url', 'thumbnailUrl', 'previewUrl'),
      alt: textAt(medium, 'altText'),
    }))
  return [
    ...listAt(media, 'photos').map(photo => ({ type: 'image', url: textAt(photo, 'url') })),
    ...listAt(media, 'videos').map(video => ({
      type: 'video',
      url: bestVariant(listAt(video, 'variants'), 'bitrate', 'contentType') ?? textAt(video, 'thumbnailUrl'),
    })),
    ...listAt(media, 'animated').map(video => ({
      type: 'gif',
      url: firstText(video, 'videoUrl', 'thumbnailUrl'),
    })),
  ]
}

const linksOf = (post: unknown): (string | undefined)[] => {
  const links = listAt(post, 'links')
  return links.length > 0
    ? links.map(link => textAt(link, 'url'))
    : listAt(post, 'outlinks').map(link => textOf(link) ?? textAt(link, 'url'))
}

const xPost = (post: unknown, id: string, context: ItemContext): XPost => {
  const user = at(post, 'user')
  const text = firstText(post, 'rawContent', 'content')
  const [quoted, reply] = [at(post, 'quotedTweet'), idAt(post, 'inReplyToTweetId')]
  const quote = referenceTo(idOfPost(quoted), textAt(quoted, 'user', 'username'))
  const answered = referenceTo(reply, textAt(post, 'inReplyToUser', 'username'))
  const [name, country] = [textAt(post, 'place', 'fullName'), textAt(post, 'place', 'countryCode')]
  return {
    id,
    text: text && unescapeEntities(text),
    language: textAt(post, 'lang'),
    published_at: timeFrom(at(post, 'date'), context, { zone: 'UTC' }),
    author: {
      id: idAt(user, 'id_str') ?? idAt(user, 'id'),
      handle: textAt(user, 'username'),
      name: textAt(user, 'displayname'),
      description: firstText(user, 'rawDescription', 'description'),
      followers: countAt(user, 'followersCount'),
      following: countAt(user, 'friendsCount'),
      posts: countAt(user, 'statusesCount'),
      verified: flagAt(user, 'verified'),
    },
    relations: {
      thread_id: idAt(post, 'conversationIdStr') ?? idAt(post, 'conversationId'),
      ...(answered && { in_reply_to: answered }),
      ...(quote && { quote_of: quote }),
    },
    hashtags: listAt(post, 'hashtags').flatMap(tag => textOf(tag) ?? []),
    mentions: listAt(post, 'mentionedUsers').flatMap(mentioned => textAt(mentioned, 'username') ?? []),
    links: withoutOwnMedia(linksOf(post)),
    media: mediaOf(post),
    metrics: {
      likes: countAt(post, 'likeCount'),
      shares: countAt(post, 'retweetCount'),
      comments: countAt(post, 'replyCount'),
      quotes: countAt(post, 'quoteCount'),
      saves: countAt(post, 'bookmarkCount', 'bookmarkedCount'),
      views: countAt(post, 'viewCount'),
    },
    location: {
      name,
      country,
      longitude: numberAt(post, 'coordinates', 'longitude'),
      latitude: numberAt(post, 'coordinates', 'latitude'),
    },
  }
}

const readTelegram = (post: unknown, context: ItemContext): ItemResult => {
  const address = addressOf(textAt(post, 'url') ?? '')
  if (!isAddressSource(address)) return { skipped: address.skipped }
  const preview = textAt(post, 'linkPreview', 'href')
  const links = linksOf(post).flatMap(link => link ?? [])
  const draft = {
    text: firstText(post, 'content', 'rawContent'),
    published_at: timeFrom(at(post, 'date'), context, { zone: 'UTC' }),
    links: [...links, ...(preview ? [preview] : [])],
  }
  return recordOfAddress(address, { ...draft, links: [...new Set(draft.links)] }, context.origin)
}

const read = (post: unknown, context: ItemContext): ItemResult => {
  const [, module, type] = /^snscrape\.modules\.(\w+)\.(\w+)$/.exec(textAt(post, '_type') ?? '') ?? []
  if (module === 'telegram') {
    return type === 'TelegramPost' ? readTelegram(post, context) : { skipped: 'not-a-post' }
  }
  if (module !== undefined && module !== 'twitter') return { skipped: 'unknown-platform', detail: module }
  if (type !== undefined && type !== 'Tweet') return { skipped: 'not-a-post' }
  const id = idOfPost(post)
  if (!id) return { skipped: at(post, 'id') === undefined ? 'no-id' : 'rounded-id' }
  const reposted = at(post, 'retweetedTweet')
  const original = idOfPost(reposted)
  return xRecord(
    xPost(post, id, context),
    original === undefined ? undefined : xPost(reposted, original, context),
    context.origin,
  )
}

export const snscrape: JsonFormat = { by: 'snscrape', lists: [], read }
