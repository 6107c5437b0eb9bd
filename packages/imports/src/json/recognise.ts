import { at, textAt } from './fields.js'
import { parsedHead } from './parse.js'

const has = (value: unknown, ...keys: string[]): boolean =>
  keys.every(key => typeof value === 'object' && value !== null && Object.hasOwn(value, key))
const hasAny = (value: unknown, ...keys: string[]): boolean => keys.some(key => has(value, key))

const isAtUri = (value: unknown): boolean => typeof value === 'string' && value.startsWith('at://')
/** Paths of a post's address in the answers of Bluesky's API. */
const BLUESKY: readonly (readonly (string | number)[])[] = [
  ['uri'],
  ['post', 'uri'],
  ['posts', 0, 'uri'],
  ['feed', 0, 'post', 'uri'],
  ['records', 0, 'uri'],
]

const TELETHON = /^(?:Message(?:Service|Empty)?$|ChannelMessages$|messages\.)/

/** Formats by the keys of their first object, the most specific first. */
const RULES: readonly (readonly [format: string, matches: (first: unknown) => boolean])[] = [
  ['zeeschuimer', first => has(first, 'source_platform', 'data') || has(first, '__import_meta')],
  ['snscrape', first => textAt(first, '_type')?.startsWith('snscrape.') ?? false],
  ['telethon', first => TELETHON.test(textAt(first, '_') ?? textAt(first, '_type') ?? '')],
  [
    'telegram-desktop',
    first =>
      (has(first, 'messages', 'type', 'id') && !has(first, '_')) ||
      (has(first, 'about') && hasAny(first, 'chats', 'left_chats', 'personal_information')),
  ],
  [
    'telegram-scraper',
    first => has(first, 'message_id', 'sender_id') && hasAny(first, 'media_path', 'media_type'),
  ],
  [
    'tiktok-research-videos',
    first => has(at(first, 'data'), 'videos') || has(first, 'video_description', 'region_code'),
  ],
  [
    'tiktok-research-comments',
    first => has(at(first, 'data'), 'comments') || has(first, 'parent_comment_id', 'video_id'),
  ],
  [
    'tiktok-user-data',
    first =>
      hasAny(first, 'Profile', 'Post', 'Video', 'Comment') &&
      (hasAny(first, 'Your Activity', 'Activity', 'Likes and Favorites') ||
        hasAny(at(first, 'Profile'), 'Profile Info', 'Profile Information')),
  ],
  ['bluesky', first => BLUESKY.some(path => isAtUri(at(first, ...path)))],
  [
    'jetstream',
    first =>
      (has(first, 'did', 'kind') && /^(?:commit|identity|account)$/.test(textAt(first, 'kind') ?? '')) ||
      has(at(first, 'payload'), 'collection') ||
      has(at(first, 'payload'), 'did'),
  ],
  [
    'activitypub',
    first => textAt(first, 'type') === 'OrderedCollection' && hasAny(first, 'orderedItems', '@context'),
  ],
  ['mastodon', first => has(first, 'account', 'content', 'created_at', 'uri')],
  ['json-feed', first => /^https?:\/\/jsonfeed\.org\/version\//.test(textAt(first, 'version') ?? '')],
  [
    'x-api-v2',
    first =>
      (has(first, 'data') && hasAny(first, 'includes', 'meta')) ||
      has(first, 'id', 'text', 'author_id') ||
      has(at(first, 'data', 0) ?? at(first, 'data'), 'id', 'text'),
  ],
]

const formatOf = (value: unknown): string | undefined => {
  const first = Array.isArray(value) ? value[0] : value
  return RULES.find(([, matches]) => matches(first))?.[0]
}

/**
 * Returns the format of a JSON text by the keys of its first object; undefined for an unknown one. If the first line is
 * broken, the next ones decide.
 */
export const jsonFormatOf = (head: string): string | undefined => {
  const known = formatOf(parsedHead(head))
  if (known !== undefined || head.trimStart().startsWith('[')) return known
  const lines = head.split('\n', 10).filter(line => line.startsWith('{'))
  for (const line of lines.slice(1)) {
    const format = formatOf(parsedHead(line))
    if (format !== undefined) return format
  }
  return undefined
}
