import { at, countAt, firstText, listAt, textAt, textOf, timeFrom } from '../json/fields.js'
import type { ItemContext, ItemResult, JsonFormat } from '../json/read.js'
import type { Draft, Reference } from '../records/draft.js'
import { type DraftRecord, type Origin, postRecord } from '../records/of-draft.js'

/* Posts of Bluesky (bluesky-social/atproto, lexicons/app/bsky/feed). 4CAT writes their keys in snake case. */

const POST = 'app.bsky.feed.post'

/** Returns the parts of an AT-URI. */
const partsOf = (uri: string | undefined) => {
  const [, did = '', collection = '', rkey = ''] = /^at:\/\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(uri ?? '') ?? []
  return { did, collection, rkey }
}

const handleOf = (account: unknown) => {
  const handle = textAt(account, 'handle')
  return handle === 'handle.invalid' ? undefined : handle
}

const profileUrl = (account: string) => `https://bsky.app/profile/${account}`

const referenceTo = (uri: string | undefined, handle?: string): Reference | undefined => {
  if (uri === undefined) return undefined
  const { did, rkey } = partsOf(uri)
  const author = handle ?? did
  return { id: uri, ...(author && { author, url: `${profileUrl(author)}/post/${rkey}` }) }
}

/** Returns the features of a text's facets with the texts that they mark, by offsets in UTF-8. */
const featuresOf = (record: unknown) => {
  const facets = listAt(record, 'facets')
  const bytes = facets.length > 0 ? new TextEncoder().encode(textAt(record, 'text') ?? '') : new Uint8Array()
  return facets.flatMap(facet => {
    const range = at(facet, 'index')
    const [start, end] = [countAt(range, 'byteStart', 'byte_start'), countAt(range, 'byteEnd', 'byte_end')]
    const marked = new TextDecoder().decode(bytes.subarray(start ?? 0, end ?? 0))
    return listAt(facet, 'features').map(feature => ({ feature, marked }))
  })
}

/** Returns an embed, and that inside a quote with media. */
const embedsOf = (embed: unknown): unknown[] => {
  const media = at(embed, 'media')
  return [embed, ...(media === undefined ? [] : [media])]
}

const imageUrl = (did: string, image: unknown): string | undefined => {
  const cid = textAt(image, 'image', 'ref', '$link') ?? textAt(image, 'image', 'ref', 'link')
  return cid && `https://cdn.bsky.app/img/feed_fullsize/plain/${did}/${cid}`
}

/** Returns the media of a view, else those of the record. */
const mediaOf = (view: unknown, embed: unknown, did: string): NonNullable<Draft['media']> => {
  const [shown, stored] = [embedsOf(view), embedsOf(embed)]
  const images = (embeds: unknown[]) => embeds.flatMap(each => listAt(each, 'images'))
  const pictures = images(shown).length > 0 ? images(shown) : images(stored)
  const videos = shown.filter(each => textAt(each, 'playlist') !== undefined)
  const hasVideo = stored.some(each => at(each, 'video') !== undefined)
  return [
    ...pictures.map(image => ({
      type: 'image',
      url: firstText(image, 'fullsize', 'thumb') ?? imageUrl(did, image),
      alt: textAt(image, 'alt'),
    })),
    ...videos.map(video => ({ type: 'video', url: textAt(video, 'playlist'), alt: textAt(video, 'alt') })),
    ...(videos.length === 0 && hasVideo
      ? stored.map(each => ({ type: 'video', alt: textAt(each, 'alt') }))
      : []),
  ]
}

/** Returns the post that an embed quotes. */
const quoteOf = (view: unknown, embed: unknown): Reference | undefined => {
  const quoted = [view, embed].map(each => at(each, 'record', 'record') ?? at(each, 'record'))
  const uri = quoted.map(each => textAt(each, 'uri')).find(each => partsOf(each).collection === POST)
  return referenceTo(uri, handleOf(at(quoted[0], 'author')))
}

/** A post in a repository and how it is shown. */
export interface BlueskyPost {
  uri: string
  record: unknown
  author?: unknown
  /** Embed with the addresses of its media. */
  embed?: unknown
  /** Object with the counts. */
  counts?: unknown
  /** ISO 8601 in UTC. A later time of the record is not believed. */
  indexed?: string | undefined
  edited_at?: string | undefined
}

/** Returns the record of a post. */
export const blueskyRecord = (
  post: BlueskyPost,
  context: Pick<ItemContext, 'warnings'>,
  origin: Origin,
): DraftRecord => {
  const { uri, record, author, counts, indexed } = post
  const { did, rkey } = partsOf(uri)
  const features = featuresOf(record)
  const embed = at(record, 'embed')
  const external = [post.embed, embed].flatMap(each =>
    embedsOf(each).map(inner => textAt(inner, 'external', 'uri')),
  )
  const handle = handleOf(author)
  const languages = listAt(record, 'langs')
  const claimed = timeFrom(at(record, 'createdAt') ?? at(record, 'created_at'), context)
  const isLater = claimed !== undefined && indexed !== undefined && claimed > indexed
  const parent = referenceTo(textAt(record, 'reply', 'parent', 'uri'))
  const quoted = quoteOf(post.embed, embed)
  const made = postRecord(
    {
      platform: 'bluesky',
      id: uri,
      type: 'post',
      url: `${profileUrl(handle ?? did)}/post/${rkey}`,
      text: textAt(record, 'text'),
      language: languages.length === 1 ? textOf(languages[0]) : undefined,
      published_at: isLater ? indexed : claimed,
      edited_at: post.edited_at,
      author: {
        id: did,
        handle,
        name: firstText(author, 'displayName', 'display_name'),
        url: profileUrl(handle ?? did),
        description: textAt(author, 'description'),
        followers: countAt(author, 'followersCount', 'followers_count'),
        following: countAt(author, 'followsCount', 'follows_count'),
        posts: countAt(author, 'postsCount', 'posts_count'),
      },
      relations: {
        ...(parent && { in_reply_to: parent }),
        ...(quoted && { quote_of: quoted }),
        thread_id: textAt(record, 'reply', 'root', 'uri'),
      },
      hashtags: [
        ...features.flatMap(({ feature }) => textAt(feature, 'tag') ?? []),
        ...listAt(record, 'tags').flatMap(tag => textOf(tag) ?? []),
      ],
      mentions: features.flatMap(({ feature, marked }) => (textAt(feature, 'did') ? [marked] : [])),
      links: [...features.map(({ feature }) => textAt(feature, 'uri')), ...external].flatMap(
        link => link ?? [],
      ),
      media: mediaOf(post.embed, embed, did),
      metrics: {
        likes: countAt(counts, 'likeCount', 'like_count'),
        shares: countAt(counts, 'repostCount', 'repost_count'),
        comments: countAt(counts, 'replyCount', 'reply_count'),
        quotes: countAt(counts, 'quoteCount', 'quote_count'),
        saves: countAt(counts, 'bookmarkCount', 'bookmark_count'),
      },
    },
    origin,
  )
  return isLater ? { ...made, also: { ...made.also, stated_time: claimed } } : made
}

const REPOST = /reasonRepost$/
/** Returns the repost by which a feed shows a post, if it has an address of its own. */
const repostOf = (entry: unknown, record: DraftRecord, context: ItemContext): DraftRecord => {
  const reason = at(entry, 'reason')
  const uri = textAt(reason, 'uri')
  if (!uri || !REPOST.test(textAt(reason, '$type') ?? textAt(reason, 'py_type') ?? '')) return record
  const original = record.record as {
    post: { id: string; url: string }
    author?: { handle?: string; id?: string }
  }
  const by = at(reason, 'by')
  const handle = handleOf(by)
  const account = handle ?? partsOf(uri).did
  return {
    ...record,
    record: {
      ...record.record,
      post: {
        ...original.post,
        id: uri,
        type: 'repost',
        published_at: timeFrom(firstText(reason, 'indexedAt', 'indexed_at'), context),
      },
      author: { id: partsOf(uri).did, ...(handle && { handle }), url: profileUrl(account) },
      relations: {
        repost_of: {
          id: original.post.id,
          url: original.post.url,
          author: original.author?.handle ?? original.author?.id,
        },
      },
    },
  }
}

const read = (item: unknown, context: ItemContext): ItemResult => {
  const post = at(item, 'post') ?? item
  const uri = textAt(post, 'uri')
  if (!uri) return { skipped: 'no-id' }
  if (partsOf(uri).collection !== POST) return { skipped: 'not-a-post' }
  const record = at(post, 'record') ?? at(post, 'value')
  if (record === undefined)
    return { skipped: at(post, 'notFound') || at(post, 'blocked') ? 'not-a-post' : 'no-content' }
  const made = blueskyRecord(
    {
      uri,
      record,
      author: at(post, 'author'),
      embed: at(post, 'embed'),
      counts: post,
      indexed: timeFrom(firstText(post, 'indexedAt', 'indexed_at'), context),
    },
    context,
    context.origin,
  )
  return repostOf(item, made, context)
}

export const bluesky: JsonFormat = {
  by: 'bluesky',
  lists: ['$.posts.*', '$.feed.*', '$.records.*'],
  read,
}
