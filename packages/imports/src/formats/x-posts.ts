import type { Draft, Reference } from '../records/draft.js'
import { type DraftRecord, type Origin, postRecord } from '../records/of-draft.js'
import { xUrl } from '../text/addresses.js'

/** A post on X as a file states it. */
export type XPost = Draft & { id: string; views?: number | undefined }

export const referenceTo = (id: string | undefined, author?: string): Reference | undefined =>
  id === undefined
    ? author === undefined
      ? undefined
      : { author }
    : { id, url: xUrl(id, author), ...(author && { author }) }

/** Links of a post without those to its own pictures and videos. */
export const withoutOwnMedia = (links: readonly (string | undefined)[]): string[] =>
  links.filter(link => link !== undefined && !/\/status\/\d+\/(?:photo|video)\/\d+/.test(link)) as string[]

/** Returns the record of a post. A repost has the text, the media, the tags and the counts of its original. */
export const xRecord = (post: XPost, original: XPost | undefined, origin: Origin): DraftRecord => {
  const handle = post.author?.handle
  const content = original ?? post
  const { text, language, edited_at, hashtags, mentions, links, media, metrics } = content
  const repostOf = original && referenceTo(original.id, original.author?.handle)
  return postRecord(
    {
      platform: 'x',
      id: post.id,
      type: original ? 'repost' : (post.type ?? 'post'),
      url: xUrl(post.id, handle),
      text,
      language,
      published_at: post.published_at,
      edited_at,
      author: { ...post.author, url: handle && `https://x.com/${handle}` },
      relations: repostOf ? { ...post.relations, repost_of: repostOf } : post.relations,
      hashtags,
      mentions,
      links,
      media,
      metrics,
      location: post.location,
    },
    origin,
  )
}
