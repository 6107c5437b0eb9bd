import type { PostPlace, PostType, RecordOf, Source, Stored, TiktokRecord } from '@iodine/contracts'
import {
  type Attachment,
  type Field,
  type FieldGroup,
  type Format,
  field,
  fieldOfItems,
  firstFilled,
  firstHttpUrl,
  type ImageHash,
} from './record-fields'

/** Returns a short video's URL, composed of its author and id. */
const videoUrl = ({ main, author }: TiktokRecord): string | null => {
  const name = author?.author_unique_id
  return name && /^[\w.]+$/.test(name) && /^\d+$/.test(main.video_id)
    ? `https://www.tiktok.com/@${name}/video/${main.video_id}`
    : null
}

type Leaf = string | number | boolean | null | undefined | readonly unknown[]
/** Paths of a record's values, such as 'main.video_id'. */
type Path<T> = T extends Leaf
  ? never
  : { [K in keyof T & string]: K | `${K}.${Path<T[K]>}` }[keyof T & string]
/** A row: its path in the record, and the path that suggests the category of its IODs, if that is another. */
type Row<S extends Source = Source> = [path: Path<RecordOf[S]>, label: string, format?: Format, as?: string]

/** The rows of each source's card, by group title. The default format is text. */
const GROUPS: { [S in Source]: Record<string, Row<S>[]> } = {
  tiktok: {
    Video: [
      ['main.video_id', 'Video ID'],
      ['main.description', 'Description'],
      ['main.hashtags', 'Hashtags', 'list'],
      ['main.create_time', 'Created', 'time'],
    ],
    Author: [
      ['author.author_id', 'Author ID'],
      ['author.author_unique_id', 'Unique ID'],
      ['author.author_nickname', 'Nickname'],
      ['author.author_description', 'Description'],
      ['author.author_following_count', 'Following', 'number'],
      ['author.author_follower_count', 'Followers', 'number'],
      ['author.author_heart_count', 'Hearts', 'number'],
      ['author.author_video_count', 'Videos', 'number'],
    ],
    Stats: [
      ['stats.play_count', 'Plays', 'number'],
      ['stats.digg_count', 'Likes', 'number'],
      ['stats.comment_count', 'Comments', 'number'],
      ['stats.share_count', 'Shares', 'number'],
      ['stats.collect_count', 'Saves', 'number'],
      ['stats.repost_count', 'Reposts', 'number'],
    ],
    Sound: [
      ['sound.sound_id', 'Sound ID'],
      ['sound.sound_name', 'Name'],
      ['sound.sound_author', 'Author'],
    ],
    Classification: [
      ['classification.location_created', 'Location'],
      ['classification.diversification_labels', 'Labels', 'list'],
      ['classification.suggested_words', 'Suggested words', 'list'],
    ],
  },
  telegram: {
    Channel: [
      ['telegram.channel.username', 'Username'],
      ['telegram.channel.title', 'Title'],
      ['telegram.channel.platform', 'Platform'],
    ],
    Post: [
      ['telegram.post.id', 'Post ID'],
      ['telegram.post.author', 'Author'],
      ['telegram.post.description', 'Description'],
      ['telegram.post.url', 'URL', 'url'],
    ],
  },
  blog: {
    Article: [
      ['metadata.title', 'Title'],
      ['metadata.description', 'Description'],
      ['metadata.canonical', 'Canonical', 'url'],
      ['metadata.generator', 'Generator'],
      ['metadata.article_published_time', 'Published'],
      ['metadata.article_modified_time', 'Modified'],
    ],
    'Open Graph': [
      ['metadata.og_title', 'Title'],
      ['metadata.og_description', 'Description'],
      ['metadata.og_url', 'URL', 'url'],
      ['metadata.og_image', 'Image', 'url'],
      ['metadata.og_site_name', 'Site name'],
    ],
    Twitter: [
      ['metadata.twitter_title', 'Title'],
      ['metadata.twitter_description', 'Description'],
      ['metadata.twitter_url', 'URL', 'url'],
      ['metadata.twitter_image', 'Image', 'url'],
      ['metadata.twitter_site', 'Site'],
    ],
    'Structured data': [
      ['metadata.jsonld.author.name', 'Author'],
      ['metadata.jsonld.author.url', 'Author URL', 'url'],
      ['metadata.jsonld.publisher.name', 'Publisher'],
      ['metadata.jsonld.publisher.url', 'Publisher URL', 'url'],
      ['metadata.jsonld.publisher.logo.url', 'Publisher logo', 'url'],
      ['metadata.jsonld.keywords', 'Keywords', 'list'],
    ],
  },
  post: {
    Post: [
      ['post.platform', 'Platform'],
      ['post.id', 'Post ID'],
      ['post.title', 'Title'],
      ['post.text', 'Text'],
      ['post.published_at', 'Posted', 'time'],
      ['post.edited_at', 'Edited', 'time'],
      ['post.language', 'Language'],
      ['post.url', 'URL', 'url'],
      ['relations.thread_id', 'Thread ID'],
      ['hashtags', 'Hashtags', 'list'],
      ['mentions', 'Mentions', 'list', 'mentions.username'],
      ['links', 'Links', 'list'],
    ],
    Author: [
      ['author.name', 'Name'],
      ['author.handle', 'Handle', 'text', 'author.username'],
      ['author.id', 'Author ID'],
      ['author.url', 'URL', 'url'],
      ['author.description', 'Description'],
      ['author.followers', 'Followers', 'number'],
      ['author.following', 'Following', 'number'],
      ['author.posts', 'Posts', 'number'],
    ],
    'Repost of': [
      ['relations.repost_of.author', 'Author'],
      ['relations.repost_of.id', 'Post ID'],
      ['relations.repost_of.url', 'URL', 'url'],
    ],
    'Quote of': [
      ['relations.quote_of.author', 'Author'],
      ['relations.quote_of.id', 'Post ID'],
      ['relations.quote_of.url', 'URL', 'url'],
    ],
    'Reply to': [
      ['relations.in_reply_to.author', 'Author'],
      ['relations.in_reply_to.id', 'Post ID'],
      ['relations.in_reply_to.url', 'URL', 'url'],
    ],
    'Posted in': [
      ['within.name', 'Name', 'text', 'within.title'],
      ['within.id', 'ID'],
      ['within.url', 'URL', 'url'],
    ],
    Location: [
      ['location.name', 'Place', 'text', 'location.place'],
      ['location.country', 'Country'],
      ['location.latitude', 'Latitude'],
      ['location.longitude', 'Longitude'],
    ],
  },
}

const valueAt = (record: unknown, path: string): unknown =>
  path.split('.').reduce((found, key) => (found as Record<string, unknown> | null | undefined)?.[key], record)

/** The parts of a card that differ between sources. */
interface Layout {
  title: string
  /** Titles of groups of rows that depend on the record. */
  titles?: Record<string, string>
  attachments?: Attachment[]
  imageHashes?: ImageHash[]
  originalUrl?: string | null
  iodSource?: string | null
  /** Groups besides those of the source's rows. */
  groups?: FieldGroup[]
}

/** Returns the fields of counts by name: `views` as 'Views'. `keys` is their path in the record. */
const metricFields = (keys: readonly string[], metrics: Record<string, number> | undefined): Field[] =>
  Object.entries(metrics ?? {}).map(([name, count]) => {
    const label = name.replaceAll('_', ' ')
    const path = [...keys, name]
    return field(
      `${path.join('.')}_count`,
      label.slice(0, 1).toUpperCase() + label.slice(1),
      count,
      'number',
      path,
    )
  })

const POST_TITLES: Record<PostType, string> = {
  post: 'Post',
  comment: 'Comment',
  repost: 'Repost',
  video: 'Video',
}
const PLACE_TITLES: Record<PostPlace, string> = {
  group: 'In a group',
  page: 'On a page',
  board: 'On a board',
  community: 'In a community',
  profile: 'On a profile',
  video: 'On a video',
  post: 'On a post',
}

type Medium = { type: string; url?: string | null | undefined; sha256?: string | null | undefined }
const attachmentsOf = (keys: readonly string[], media: readonly Medium[] | null | undefined): Attachment[] =>
  (media ?? []).map(({ type, url, sha256 }, index) => {
    const path = keys.join('.')
    return {
      type,
      url: field(`${path}.url`, 'URL', url, 'url', [...keys, index, 'url']),
      sha256: field(`${path}.sha256`, 'SHA-256', sha256, 'text', [...keys, index, 'sha256']),
    }
  })

const LAYOUTS: { [S in Source]: (record: RecordOf[S]) => Layout } = {
  tiktok: record => {
    const { author_unique_id: name, author_nickname } = record.author ?? {}
    return { title: name ? `@${name}` : author_nickname || 'Short video', iodSource: videoUrl(record) }
  },
  telegram: ({ telegram: { channel, post, attachments } }) => ({
    title: firstFilled(channel?.title, channel?.username) ?? 'Channel post',
    originalUrl: firstHttpUrl(post.url),
    attachments: attachmentsOf(['telegram', 'attachments'], attachments),
  }),
  blog: ({ metadata, imageHashes }) => ({
    title: firstFilled(metadata.title, metadata.og_title, metadata.canonical, metadata.og_url) ?? 'Article',
    originalUrl: firstHttpUrl(metadata.canonical, metadata.og_url),
    // The keys of `imageHashes` are URLs. The path omits them, because its last key suggests the category.
    imageHashes: Object.entries(imageHashes ?? {}).map(([address, hash]) => ({
      url: field('imageHashes.url', 'Image URL', address, 'url', null),
      hash: field('imageHashes.hash', 'Image hash', hash, 'text', ['imageHashes', address]),
    })),
  }),
  post: ({ post, author, within, media, metrics }) => ({
    title: firstFilled(author?.name, author?.handle && `@${author.handle}`, post.title) ?? 'Post',
    titles: { Post: POST_TITLES[post.type], 'Posted in': PLACE_TITLES[within?.type ?? 'group'] },
    originalUrl: firstHttpUrl(post.url),
    attachments: attachmentsOf(['media'], media),
    groups: [
      { title: 'Stats', fields: metricFields(['metrics'], metrics) },
      {
        title: 'Pictures and videos',
        fields: [
          fieldOfItems(['media'], media, 'alt', 'Alternative text'),
          fieldOfItems(['media'], media, 'phash', 'Perceptual hash'),
        ],
      },
    ],
  }),
}

const isFilledField = ({ values }: Field): boolean => values.length > 0
/** Returns a rare field, or none if it is empty. */
const rare = (...args: Parameters<typeof field>): Field[] => [field(...args)].filter(isFilledField)

/**
 * Returns the fields of the page around the post, the same for all sources.
 * @param shown texts that the card already contains
 */
const contextFields = ({ context }: Stored, shown: ReadonlySet<string>): Field[] => {
  const media = ['context', 'media']
  return [
    field('context.posted_at', 'Posted', context?.posted_at, 'time'),
    ...rare('context.edited_at', 'Edited', context?.edited_at, 'time'),
    field('context.forwarded_from.name', 'Forwarded from', context?.forwarded_from?.name),
    field('context.forwarded_from.url', 'Forwarded from URL', context?.forwarded_from?.url, 'url'),
    ...rare('context.in_reply_to.url', 'Reply to', context?.in_reply_to, 'url', ['context', 'in_reply_to']),
    ...rare('context.stated_canonical', 'Stated canonical URL', context?.stated_canonical, 'url'),
    ...(shown.has(context?.text ?? '') ? [] : [field('context.text', 'Text', context?.text)]),
    ...rare('context.transcript', 'Spoken text', context?.transcript),
    ...rare('context.screen_text', 'Text on screen', context?.screen_text),
    field('context.links', 'Links', context?.links, 'list'),
    fieldOfItems(media, context?.media, 'url', 'Pictures'),
    fieldOfItems(media, context?.media, 'sha256', 'Picture SHA-256'),
    fieldOfItems(media, context?.media, 'phash', 'Perceptual hash'),
    ...metricFields(['context', 'metrics'], context?.metrics),
  ]
}

/** Returns the title, groups and other parts of a record's card. Groups without a value are omitted. */
export const layOut = (
  source: Source,
  record: Stored,
): Omit<Layout, 'groups' | 'titles'> & { groups: FieldGroup[] } => {
  const {
    groups: more = [],
    titles = {},
    ...layout
  } = (LAYOUTS[source] as (record: Stored) => Layout)(record)
  const rows = Object.entries<Row[]>(GROUPS[source]).map(([title, fields]) => ({
    title: titles[title] ?? title,
    fields: fields.map(([path, label, format, as = path]) =>
      field(as, label, valueAt(record, path), format, path.split('.')),
    ),
  }))
  const own = [...rows, ...more]
  const shown = own.flatMap(({ fields }) => fields.flatMap(({ values }) => values.map(({ text }) => text)))
  const context = {
    title: record.context?.edited ? 'Context (edited)' : 'Context',
    fields: contextFields(record, new Set(shown)),
  }
  return { ...layout, groups: [...own, context].filter(({ fields }) => fields.some(isFilledField)) }
}
