import {
  at,
  bestVariant,
  countAt,
  flagAt,
  idAt,
  idOf,
  listAt,
  numberAt,
  textAt,
  timeFrom,
} from '../json/fields.js'
import type { ItemContext, ItemResult, JsonFormat } from '../json/read.js'
import { unescapeEntities } from '../text/html.js'
import { referenceTo, withoutOwnMedia, type XPost, xRecord } from './x-posts.js'

/* Posts of X's API v2, of twarc2, and flattened by twarc2: with author, media and referenced posts inside. */

type Values = Record<string, unknown>
type Index = Map<string, unknown>

const asValues = (value: unknown): Values => ({ ...(value as Values) })

/** Returns the posts of a page with the parts of `includes` inside, as `twarc2 flatten` writes them. */
const pageItems = (page: unknown): readonly unknown[] | undefined => {
  const data = at(page, 'data')
  if (typeof data !== 'object' || at(page, 'id') !== undefined) return undefined
  const index = (list: string, key: string): Index =>
    new Map(listAt(page, 'includes', list).map(each => [idAt(each, key) ?? '', each]))
  const [users, media] = [index('users', 'id'), index('media', 'media_key')]
  const [posts, places] = [index('tweets', 'id'), index('places', 'id')]
  const twarc = at(page, '__twarc')

  const flat = (post: unknown, isInner: boolean): Values => {
    const values = asValues(post)
    const attached = listAt(post, 'attachments', 'media_keys').map(key => media.get(idOf(key) ?? ''))
    const references = listAt(post, 'referenced_tweets').map(reference => {
      const found = isInner ? undefined : posts.get(idAt(reference, 'id') ?? '')
      return found ? { ...flat(found, true), ...asValues(reference) } : reference
    })
    const replied = users.get(idAt(post, 'in_reply_to_user_id') ?? '')
    return {
      ...values,
      author: values.author ?? users.get(idAt(post, 'author_id') ?? ''),
      attachments: { ...asValues(values.attachments), media: attached },
      geo: { ...asValues(places.get(idAt(post, 'geo', 'place_id') ?? '')), ...asValues(values.geo) },
      referenced_tweets: references,
      ...(replied !== undefined && { in_reply_to_user: replied }),
      ...(twarc !== undefined && { __twarc: twarc }),
    }
  }
  return (Array.isArray(data) ? data : [data]).map(post =>
    typeof post === 'object' && post !== null ? flat(post, false) : post,
  )
}

const TYPES: Record<string, string> = { photo: 'image', video: 'video', animated_gif: 'gif' }
const mediaOf = (post: unknown) =>
  listAt(post, 'attachments', 'media').map(medium => ({
    type: TYPES[textAt(medium, 'type') ?? ''] ?? 'image',
    url:
      bestVariant(listAt(medium, 'variants'), 'bit_rate', 'content_type') ??
      textAt(medium, 'url') ??
      textAt(medium, 'preview_image_url'),
    alt: textAt(medium, 'alt_text'),
  }))

const referenced = (post: unknown, type: string): unknown =>
  listAt(post, 'referenced_tweets').find(reference => textAt(reference, 'type') === type)

const referenceOf = (post: unknown, type: string, author?: string) => {
  const found = referenced(post, type)
  return referenceTo(idAt(found, 'id'), textAt(found, 'author', 'username') ?? author)
}

const xPost = (post: unknown, id: string, context: ItemContext): XPost => {
  const author = at(post, 'author')
  const note = at(post, 'note_tweet')
  const text = textAt(note, 'text') ?? textAt(post, 'text')
  const entities = at(note, 'entities') ?? at(post, 'entities')
  const counts = at(post, 'public_metrics')
  const answered = referenceOf(post, 'replied_to', textAt(post, 'in_reply_to_user', 'username'))
  const quoted = referenceOf(post, 'quoted')
  const [longitude, latitude] = listAt(post, 'geo', 'coordinates', 'coordinates')
  return {
    id,
    text: text && unescapeEntities(text),
    language: textAt(post, 'lang'),
    published_at: timeFrom(at(post, 'created_at'), context),
    author: {
      id: idAt(author, 'id') ?? idAt(post, 'author_id'),
      handle: textAt(author, 'username'),
      name: textAt(author, 'name'),
      description: textAt(author, 'description'),
      followers: countAt(at(author, 'public_metrics'), 'followers_count'),
      following: countAt(at(author, 'public_metrics'), 'following_count'),
      posts: countAt(at(author, 'public_metrics'), 'tweet_count'),
      verified: flagAt(author, 'verified'),
    },
    relations: {
      thread_id: idAt(post, 'conversation_id'),
      ...(answered && { in_reply_to: answered }),
      ...(quoted && { quote_of: quoted }),
    },
    hashtags: listAt(entities, 'hashtags').flatMap(tag => textAt(tag, 'tag') ?? []),
    mentions: listAt(entities, 'mentions').flatMap(user => textAt(user, 'username') ?? []),
    links: withoutOwnMedia(
      listAt(entities, 'urls').map(link => textAt(link, 'expanded_url') ?? textAt(link, 'url')),
    ),
    media: mediaOf(post),
    metrics: {
      likes: countAt(counts, 'like_count'),
      shares: countAt(counts, 'retweet_count'),
      comments: countAt(counts, 'reply_count'),
      quotes: countAt(counts, 'quote_count'),
      saves: countAt(counts, 'bookmark_count'),
      views: countAt(counts, 'impression_count'),
    },
    location: {
      name: textAt(post, 'geo', 'full_name'),
      country: textAt(post, 'geo', 'country_code'),
      longitude: numberAt([longitude], 0),
      latitude: numberAt([latitude], 0),
    },
  }
}

const read = (post: unknown, context: ItemContext): ItemResult => {
  const id = idAt(post, 'id')
  if (!id) {
    const written = at(post, 'id')
    if (written === undefined) return { skipped: at(post, 'text') === undefined ? 'not-an-item' : 'no-id' }
    return { skipped: 'rounded-id' }
  }
  const retrieved = timeFrom(at(post, '__twarc', 'retrieved_at'), context, { zone: 'UTC' })
  const origin = { ...context.origin, fetched: retrieved ?? context.origin.fetched }
  const reposted = referenced(post, 'retweeted')
  const original = idAt(reposted, 'id')
  const own = xPost(post, id, context)
  const found = original === undefined ? undefined : xPost(reposted, original, context)
  // Without the original in the file, the post's own text is its beginning.
  const isFound = at(reposted, 'text') !== undefined
  const { text, metrics: _, ...shown } = own
  const handle = found?.author?.handle ?? /^RT @(\w+):/.exec(text ?? '')?.[1]
  const source =
    found &&
    (isFound ? found : { ...shown, id: found.id, author: { handle }, text: text?.replace(/^RT @\w+: /, '') })
  return { ...xRecord(own, source, origin), timed: retrieved !== undefined }
}

export const xApiV2: JsonFormat = { by: 'x-api-v2', lists: [], pageItems, read }
