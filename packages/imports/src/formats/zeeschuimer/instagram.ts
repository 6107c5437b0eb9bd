import { parseUrl } from '@iodine/contracts'
import {
  at,
  countAt,
  firstText,
  flagAt,
  idAt,
  listAt,
  numberAt,
  textAt,
  timeFrom,
} from '../../json/fields.js'
import type { ItemContext, ItemResult } from '../../json/read.js'
import type { Draft } from '../../records/draft.js'
import { postRecord } from '../../records/of-draft.js'
import { linksIn, mentionsIn } from '../../text/found.js'

/* Posts of Instagram, also of its older GraphQL (`Graph…`), and of Threads, whose objects are the same. */

const codeOf = (item: unknown) => firstText(item, 'code', 'shortcode')

const captionOf = (item: unknown) =>
  textAt(item, 'caption', 'text') ??
  textAt(item, 'caption') ??
  textAt(item, 'edge_media_to_caption', 'edges', 0, 'node', 'text')

/** Returns the author: of two objects, what the first one lacks is in the other. */
const authorOf = (item: unknown, url: (handle: string) => string): Draft['author'] => {
  const users = [at(item, 'user'), at(item, 'owner')]
  const found = <T>(read: (user: unknown) => T | undefined) =>
    users.map(read).find(value => value !== undefined)
  const handle = found(user => textAt(user, 'username'))
  return {
    id: found(user => idAt(user, 'pk') ?? idAt(user, 'id')),
    handle,
    name: found(user => textAt(user, 'full_name')),
    url: handle && url(handle),
    verified: found(user => flagAt(user, 'is_verified')),
  }
}

const isVideo = (medium: unknown): boolean =>
  at(medium, 'media_type') === 2 ||
  at(medium, 'is_video') === true ||
  /Video/.test(textAt(medium, '__typename') ?? '')

const mediumOf = (medium: unknown) => {
  const video = textAt(medium, 'video_versions', 0, 'url') ?? textAt(medium, 'video_url')
  const picture =
    textAt(medium, 'image_versions2', 'candidates', 0, 'url') ??
    firstText(medium, 'display_uri', 'display_url')
  return {
    type: video !== undefined || isVideo(medium) ? 'video' : 'image',
    url: video ?? picture,
    alt: textAt(medium, 'accessibility_caption'),
  }
}

const mediaOf = (item: unknown) => {
  const inner = listAt(item, 'carousel_media')
  const edges = listAt(item, 'edge_sidecar_to_children', 'edges').map(edge => at(edge, 'node'))
  const media = [inner, edges].find(list => list.length > 0) ?? [item]
  return media.map(mediumOf).filter(({ url }) => url !== undefined)
}

const locationOf = (item: unknown): Draft['location'] => {
  const place = at(item, 'location')
  return { name: textAt(place, 'name'), latitude: numberAt(place, 'lat'), longitude: numberAt(place, 'lng') }
}

const isAd = (item: unknown) =>
  at(item, 'product_type') === 'ad' ||
  /^https?:\/\/(?:www\.)?facebook\.com\/ads\b/.test(textAt(item, 'link') ?? '')

const likesOf = (item: unknown) =>
  at(item, 'like_and_view_counts_disabled') === true
    ? undefined
    : (countAt(item, 'like_count') ??
      countAt(at(item, 'edge_media_preview_like'), 'count') ??
      countAt(at(item, 'edge_liked_by'), 'count'))

export const readInstagram = (item: unknown, context: ItemContext): ItemResult => {
  if (isAd(item)) return { skipped: 'ad' }
  const id = codeOf(item)
  if (!id) return { skipped: 'no-id' }
  const text = captionOf(item)
  const record = postRecord(
    {
      platform: 'instagram',
      id,
      type: 'post',
      url: `https://www.instagram.com/p/${id}/`,
      text,
      published_at: timeFrom(at(item, 'taken_at') ?? at(item, 'taken_at_timestamp'), context),
      author: authorOf(item, handle => `https://www.instagram.com/${handle}/`),
      mentions: mentionsIn(text ?? ''),
      media: mediaOf(item),
      metrics: {
        likes: likesOf(item),
        comments:
          countAt(item, 'comment_count') ??
          countAt(at(item, 'edge_media_to_comment'), 'count') ??
          countAt(at(item, 'edge_media_to_parent_comment'), 'count'),
        views: countAt(item, 'view_count', 'play_count', 'video_view_count'),
      },
      location: locationOf(item),
    },
    context.origin,
  )
  const isPartial = at(item, '_zs_partial') === true || /^XIGPolaris/.test(textAt(item, '__typename') ?? '')
  return { ...record, partial: isPartial }
}

/** Returns the target of a link that Threads wraps. */
const targetOf = (link = ''): string | undefined => {
  const url = parseUrl(link)
  return url && (url.searchParams.get('u') ?? link)
}

const postUrl = (id: string, handle: string | undefined) =>
  `https://www.threads.com/${handle ? `@${handle}/post` : 't'}/${id}`

const referenceTo = (post: unknown) => ({ id: codeOf(post), author: textAt(post, 'user', 'username') })

export const readThreads = (item: unknown, context: ItemContext): ItemResult => {
  const id = codeOf(item)
  if (!id) return { skipped: 'no-id' }
  const info = at(item, 'text_post_app_info')
  const original = at(info, 'share_info', 'reposted_post')
  const quoted = at(info, 'share_info', 'quoted_post')
  const answered = textAt(info, 'reply_to_author', 'username')
  const content = original ?? item
  const counts = at(content, 'text_post_app_info')
  const text = captionOf(content)
  const link = targetOf(textAt(counts, 'link_preview_attachment', 'url'))
  const author = authorOf(item, handle => `https://www.threads.com/@${handle}`)
  const record = postRecord(
    {
      platform: 'threads',
      id,
      type: original ? 'repost' : 'post',
      url: postUrl(id, author?.handle),
      text,
      published_at: timeFrom(at(item, 'taken_at'), context),
      author,
      relations: {
        ...(answered && { in_reply_to: { author: answered } }),
        ...(quoted !== undefined && { quote_of: referenceTo(quoted) }),
        ...(original !== undefined && { repost_of: referenceTo(original) }),
      },
      mentions: mentionsIn(text ?? ''),
      links: [...(link ? [link] : []), ...linksIn(text ?? '')],
      media: mediaOf(content),
      metrics: {
        likes: likesOf(content),
        shares: countAt(counts, 'repost_count'),
        comments: countAt(counts, 'direct_reply_count'),
        quotes: countAt(counts, 'quote_count'),
      },
      location: locationOf(content),
    },
    context.origin,
  )
  return { ...record, partial: at(item, '_zs_partial') === true }
}
