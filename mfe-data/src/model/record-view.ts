import {
  isHttpUrl,
  type NewEvidence,
  namedOriginal,
  type RecordOf,
  removalSeen,
  type Source,
  type SourceType,
  type Stored,
  siteOf,
  type TiktokRecord,
} from '@iodine/contracts'
import { pointerToken } from '@iodine/evidence'
import { formatDateTime } from '@iodine/ui'

/** One value of a record: the displayed text, and the value of an IOD created from it. */
export interface FieldValue {
  text: string
  iodValue: string
  /**
   * JSON pointer (RFC 6901) of the value in the record. Null if the record's text differs from `iodValue`, or if the
   * pointer is too long for evidence.
   */
  pointer: string | null
}

export interface Field {
  /** Path of the value in the record. Its last key suggests the IOD's category. */
  path: string
  label: string
  kind: 'text' | 'url' | 'number' | 'list'
  /** Empty if the record has none; more than one only if `kind` is 'list'. */
  values: FieldValue[]
}

export interface FieldGroup {
  title: string
  fields: Field[]
}

export interface Attachment {
  type: string
  url: Field
  sha256: Field
}

export interface ImageHash {
  url: Field
  hash: Field
}

/** The data of a record's card. */
export interface RecordView {
  id: string
  source: Source
  sourceType: SourceType
  title: string
  /** Only groups with at least one value. */
  groups: FieldGroup[]
  attachments: Attachment[]
  imageHashes: ImageHash[]
  /** Canonical or post URL; null unless it is http(s). */
  originalUrl: string | null
  /** The source of IODs created from the record. */
  iodSource: string | null
  collectedAt: string
  collectedFrom: string
  /** Site that an article's page names as its original, such as `paper.example.com`: an unverified claim. */
  names?: string
  /** ISO time at which the post was first seen removed. */
  removedAt?: string
}

export const SOURCE_TYPE_OF = { tiktok: 'TIKTOK', telegram: 'TELEGRAM', blog: 'BLOG' } as const

const isFilled = (value: unknown): value is string | number =>
  typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')

/**
 * Display format: numbers with separators, times (Unix seconds or ISO 8601) as dates. IODs of times are in ISO 8601.
 */
type Format = Field['kind'] | 'time'

const shown = (value: string | number, format: Format, pointer: string | null): FieldValue => {
  if (typeof value === 'string') {
    const isTime = format === 'time' && !Number.isNaN(Date.parse(value))
    return isTime
      ? { text: formatDateTime(value), iodValue: value, pointer: null }
      : { text: value, iodValue: value, pointer }
  }
  const date = new Date(format === 'time' ? value * 1000 : Number.NaN)
  const isDate = !Number.isNaN(date.getTime())
  const iodValue = isDate ? date.toISOString().replace('.000Z', 'Z') : String(value)
  const text = format === 'number' ? value.toLocaleString('en-US') : isDate ? formatDateTime(date) : iodValue
  return { text, iodValue, pointer: isDate ? null : pointer }
}

/** Maximum length of an evidence pointer, in characters. */
const POINTER_MAX = 500
/** Returns the JSON pointer of keys (RFC 6901, section 3); null if it is too long. */
const pointerOf = (...keys: (string | number)[]): string | null => {
  const pointer = keys.map(key => `/${pointerToken(key)}`).join('')
  return pointer.length > POINTER_MAX ? null : pointer
}

/** Creates a field. `keys` is the value's path in the record, without a list index; null if the value is a key. */
const field = (
  path: string,
  label: string,
  value: unknown,
  format: Format = 'text',
  keys: readonly (string | number)[] | null = path.split('.'),
): Field => ({
  path,
  label,
  kind: format === 'time' ? 'text' : format,
  values: [value].flat().flatMap((each: unknown, index) => {
    if (!isFilled(each)) return []
    const pointer = keys && pointerOf(...keys, ...(Array.isArray(value) ? [index] : []))
    return [shown(each, format, pointer)]
  }),
})

const firstFilled = (...candidates: (string | null | undefined)[]) =>
  candidates.find(candidate => candidate?.trim())

const firstHttpUrl = (...candidates: (string | null | undefined)[]) =>
  candidates.find(candidate => candidate != null && isHttpUrl(candidate)) ?? null

/** Returns a short video's URL, composed of its author and id. */
const videoUrl = ({ main, author }: TiktokRecord): string | null => {
  const name = author?.author_unique_id
  return name && /^[\w.]+$/.test(name) && /^\d+$/.test(main.video_id)
    ? `https://www.tiktok.com/@${name}/video/${main.video_id}`
    : null
}

type Leaf = string | number | null | undefined | readonly unknown[]
/** Paths of a record's values, such as 'main.video_id'. */
type Path<T> = T extends Leaf
  ? never
  : { [K in keyof T & string]: K | `${K}.${Path<T[K]>}` }[keyof T & string]
type Row<S extends Source = Source> = [path: Path<RecordOf[S]>, label: string, format?: Format]

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
}

const valueAt = (record: unknown, path: string): unknown =>
  path.split('.').reduce((found, key) => (found as Record<string, unknown> | null | undefined)?.[key], record)

type Layout = Pick<RecordView, 'title'> &
  Partial<Pick<RecordView, 'attachments' | 'imageHashes' | 'originalUrl' | 'iodSource'>>

const LAYOUTS: { [S in Source]: (record: RecordOf[S]) => Layout } = {
  tiktok: record => {
    const { author_unique_id: name, author_nickname } = record.author ?? {}
    return { title: name ? `@${name}` : author_nickname || 'Short video', iodSource: videoUrl(record) }
  },
  telegram: ({ telegram: { channel, post, attachments } }) => ({
    title: firstFilled(channel?.title, channel?.username) ?? 'Channel post',
    originalUrl: firstHttpUrl(post.url),
    attachments: (attachments ?? []).map(({ type, url, sha256 }, index) => {
      const keys = ['telegram', 'attachments', index]
      return {
        type,
        url: field('telegram.attachments.url', 'URL', url, 'url', [...keys, 'url']),
        sha256: field('telegram.attachments.sha256', 'SHA-256', sha256, 'text', [...keys, 'sha256']),
      }
    }),
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
}

/**
 * Returns the fields of the page around the post, the same for all sources.
 * @param shown texts that the card already contains
 */
const contextFields = ({ context }: Stored, shown: ReadonlySet<string>): Field[] => {
  const media = (key: 'url' | 'sha256' | 'phash', label: string): Field => ({
    ...field(`context.media.${key}`, label, null, 'list'),
    values: (context?.media ?? []).flatMap(
      (medium, index) => field('', label, medium[key], 'list', ['context', 'media', index, key]).values,
    ),
  })
  return [
    field('context.posted_at', 'Posted', context?.posted_at, 'time'),
    field('context.forwarded_from.name', 'Forwarded from', context?.forwarded_from?.name),
    field('context.forwarded_from.url', 'Forwarded from URL', context?.forwarded_from?.url, 'url'),
    ...(context?.stated_canonical
      ? [field('context.stated_canonical', 'Stated canonical URL', context.stated_canonical, 'url')]
      : []),
    ...(shown.has(context?.text ?? '') ? [] : [field('context.text', 'Text', context?.text)]),
    field('context.links', 'Links', context?.links, 'list'),
    media('url', 'Pictures'),
    media('sha256', 'Picture SHA-256'),
    media('phash', 'Perceptual hash'),
  ]
}

/** Converts a record of `source` to the data of its card. Missing values are omitted. */
export function presentRecord(source: Source, record: Stored): RecordView {
  const layout = (LAYOUTS[source] as (record: Stored) => Layout)(record)
  const { fetch_timestamp: collectedAt, source: collectedFrom } = record.collector_metadata
  const groups = Object.entries<Row[]>(GROUPS[source]).map(([title, rows]) => ({
    title,
    fields: rows.map(([path, label, format]) => field(path, label, valueAt(record, path), format)),
  }))
  const names = source === 'blog' ? siteOf(namedOriginal(record as Stored<'blog'>)) : null
  const removedAt = removalSeen(record)
  groups.push({
    title: record.context?.edited ? 'Context (edited)' : 'Context',
    fields: contextFields(
      record,
      new Set(groups.flatMap(({ fields }) => fields.flatMap(({ values }) => values.map(({ text }) => text)))),
    ),
  })
  return {
    id: record.id,
    source,
    sourceType: SOURCE_TYPE_OF[source],
    attachments: [],
    imageHashes: [],
    originalUrl: null,
    ...layout,
    groups: groups.filter(({ fields }) => fields.some(({ values }) => values.length > 0)),
    iodSource: layout.originalUrl ?? layout.iodSource ?? firstHttpUrl(collectedFrom),
    collectedAt,
    collectedFrom,
    ...(names && { names }),
    ...(removedAt && { removedAt }),
  }
}

/** Selected text of a record from which an IOD is created. */
export interface TextSelection {
  /** Path of the field. */
  path: string
  /** The IOD's value. */
  value: string
  /** Position of the text in the record, in UTF-16 units of the field's text; null if the record's text differs. */
  range: { pointer: string; start: number; end: number } | null
}

/** Selects a whole value of a field. */
export const selectValue = (path: string, { iodValue, pointer }: FieldValue): TextSelection => ({
  path,
  value: iodValue,
  range: pointer === null ? null : { pointer, start: 0, end: iodValue.length },
})

/** Returns the selected text as a quote for evidence; null if the record's text differs. */
export const quoteOf = ({ source, id }: RecordView, { value, range }: TextSelection): NewEvidence | null =>
  range && { record: { source, id }, role: 'record', ...range, exact: value }

/** Returns the values of a card from which IODs may be created. */
export const valuesOf = (view: RecordView): string[] =>
  [
    ...view.groups.flatMap(group => group.fields),
    ...view.attachments.flatMap(({ url, sha256 }) => [url, sha256]),
    ...view.imageHashes.flatMap(({ url, hash }) => [url, hash]),
  ].flatMap(field => field.values.map(value => value.iodValue))
