import {
  at,
  bestVariant,
  countAt,
  firstText,
  flagAt,
  idAt,
  listAt,
  textAt,
  timeFrom,
} from '../../json/fields.js'
import type { ItemContext, ItemResult } from '../../json/read.js'
import { unescapeEntities } from '../../text/html.js'
import { referenceTo, withoutOwnMedia, type XPost, xRecord } from '../x-posts.js'

/* Posts of X's web app: of its GraphQL and, with `type: adaptive`, of its older API. */

const unwrapped = (result: unknown): unknown => at(result, 'tweet') ?? result

const idOfPost = (post: unknown) =>
  idAt(post, 'rest_id') ?? idAt(post, 'legacy', 'id_str') ?? idAt(post, 'id_str')

const authorOf = (post: unknown): XPost['author'] => {
  const user = at(post, 'core', 'user_results', 'result') ?? at(post, 'user')
  const legacy = at(user, 'legacy') ?? user
  return {
    id: idAt(user, 'rest_id') ?? idAt(user, 'id_str') ?? idAt(post, 'legacy', 'user_id_str'),
    handle: textAt(user, 'core', 'screen_name') ?? textAt(legacy, 'screen_name'),
    name: textAt(user, 'core', 'name') ?? textAt(legacy, 'name'),
    description: textAt(legacy, 'description') ?? textAt(user, 'profile_bio', 'description'),
    followers: countAt(legacy, 'followers_count'),
    following: countAt(legacy, 'friends_count'),
    posts: countAt(legacy, 'statuses_count'),
    verified: flagAt(user, 'is_blue_verified') ?? flagAt(legacy, 'verified'),
  }
}

const TYPES: Record<string, string> = { photo: 'image', video: 'video', animated_gif: 'gif' }
/** Returns the media of a post in the form of X's first API. */
export const xMedia = (legacy: unknown) => {
  const extended = listAt(legacy, 'extended_entities', 'media')
  return (extended.length > 0 ? extended : listAt(legacy, 'entities', 'media')).map(medium => ({
    type: TYPES[textAt(medium, 'type') ?? ''] ?? 'image',
    url:
      bestVariant(listAt(medium, 'video_info', 'variants'), 'bitrate', 'content_type') ??
      firstText(medium, 'media_url_https', 'media_url'),
    alt: textAt(medium, 'ext_alt_text'),
  }))
}

/** Returns hashtags, mentions and links of a post's entities. */
export const xEntities = (entities: unknown) => ({
  hashtags: listAt(entities, 'hashtags').flatMap(tag => textAt(tag, 'text') ?? []),
  mentions: listAt(entities, 'user_mentions').flatMap(user => textAt(user, 'screen_name') ?? []),
  links: withoutOwnMedia(
    listAt(entities, 'urls').map(link => textAt(link, 'expanded_url') ?? textAt(link, 'url')),
  ),
})

const quoteOf = (post: unknown, legacy: unknown) => {
  const quoted = unwrapped(
    at(post, 'quoted_status_result', 'result') ?? at(legacy, 'quoted_status_result', 'result'),
  )
  const id = idOfPost(quoted) ?? idAt(legacy, 'quoted_status_id_str')
  return referenceTo(id, id && authorOf(quoted)?.handle)
}

const xPost = (post: unknown, id: string, context: ItemContext): XPost => {
  const legacy = at(post, 'legacy')
  const note = at(post, 'note_tweet', 'note_tweet_results', 'result')
  const text = textAt(note, 'text') ?? firstText(legacy, 'full_text', 'text')
  const answered = referenceTo(
    idAt(legacy, 'in_reply_to_status_id_str'),
    textAt(legacy, 'in_reply_to_screen_name'),
  )
  const quoted = quoteOf(post, legacy)
  const { hashtags, mentions, links } = xEntities(note ? at(note, 'entity_set') : at(legacy, 'entities'))
  const place = at(legacy, 'place')
  return {
    id,
    text: text && unescapeEntities(text),
    language: textAt(legacy, 'lang'),
    published_at: timeFrom(at(legacy, 'created_at'), context),
    author: authorOf(post),
    relations: {
      thread_id: idAt(legacy, 'conversation_id_str'),
      in_reply_to: answered,
      quote_of: quoted,
    },
    hashtags,
    mentions,
    links,
    media: xMedia(legacy),
    metrics: {
      likes: countAt(legacy, 'favorite_count'),
      shares: countAt(legacy, 'retweet_count'),
      comments: countAt(legacy, 'reply_count'),
      quotes: countAt(legacy, 'quote_count'),
      saves: countAt(legacy, 'bookmark_count'),
    },
    location: { name: textAt(place, 'full_name'), country: textAt(place, 'country_code') },
  }
}

export const readTwitter = (data: unknown, context: ItemContext): ItemResult => {
  const post = unwrapped(data)
  const id = idOfPost(post)
  if (!id) {
    if (/Tombstone|Unavailable/.test(textAt(post, '__typename') ?? '')) return { skipped: 'not-a-post' }
    return {
      skipped:
        typeof at(post, 'id') === 'number' || typeof at(post, 'id') === 'bigint' ? 'rounded-id' : 'no-id',
    }
  }
  const legacy = at(post, 'legacy')
  const reposted = unwrapped(
    at(legacy, 'retweeted_status_result', 'result') ?? at(post, 'retweeted_status_result', 'result'),
  )
  const original = idOfPost(reposted)
  const source = original === undefined ? undefined : xPost(reposted, original, context)
  const own = xPost(post, id, context)
  // Views are counted for each of the two.
  const content = source ?? own
  content.metrics = { ...content.metrics, views: countAt(at(post, 'views'), 'count') }
  return { ...xRecord(own, source, context.origin), partial: legacy === undefined }
}
