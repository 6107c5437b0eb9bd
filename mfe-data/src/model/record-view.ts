import {
  type BlogRecord,
  isHttpUrl,
  type Source,
  type SourceType,
  type Stored,
  type TelegramRecord,
  type TiktokRecord,
} from '@iodine/contracts'

/** One value of a record: its text on screen, and the value of an IOD made from it. */
export interface FieldValue {
  text: string
  iodValue: string
}

export interface Field {
  /** The value's path in the record. Its last key suggests the IOD's category. */
  path: string
  label: string
  kind: 'text' | 'url' | 'number' | 'list'
  /** Empty where the record has none; several only where `kind` is a list. */
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

/** A record as its card shows it. */
export interface RecordView {
  id: string
  source: Source
  sourceType: SourceType
  title: string
  /** The groups with at least one value. */
  groups: FieldGroup[]
  attachments: Attachment[]
  imageHashes: ImageHash[]
  /** Canonical or post URL, only when it is http(s). */
  originalUrl: string | null
  /** The source of IODs made from the record. */
  iodSource: string | null
  collectedAt: string
  collectedFrom: string
}

export const SOURCE_TYPE_OF = { tiktok: 'TIKTOK', telegram: 'TELEGRAM', blog: 'BLOG' } as const

const isFilled = (value: unknown): value is string | number =>
  typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')

const plain = (value: string | number): FieldValue => ({ text: String(value), iodValue: String(value) })

type Given = string | number | null | undefined

const single = (kind: Field['kind']) => (path: string, label: string, value: Given) => ({
  path,
  label,
  kind,
  values: isFilled(value) ? [plain(value)] : [],
})
const text = single('text')
const url = single('url')
const count = (path: string, label: string, value: number | null | undefined): Field => ({
  path,
  label,
  kind: 'number',
  values: value == null ? [] : [{ text: value.toLocaleString('en-US'), iodValue: String(value) }],
})
const list = (path: string, label: string, values: readonly string[] | null | undefined): Field => ({
  path,
  label,
  kind: 'list',
  values: (values ?? []).filter(isFilled).map(plain),
})
/** Unix seconds, shown as ISO 8601 in UTC. */
const unixTime = (path: string, label: string, seconds: number | null | undefined): Field => {
  const date = new Date((seconds ?? Number.NaN) * 1000)
  return text(path, label, Number.isNaN(date.getTime()) ? seconds : date.toISOString().replace('.000Z', 'Z'))
}

interface Layout {
  title: string
  groups: FieldGroup[]
  attachments?: Attachment[]
  imageHashes?: ImageHash[]
  originalUrl?: string | null | undefined
  iodSource?: string | null
}

const firstFilled = (...candidates: (string | null | undefined)[]) =>
  candidates.find(candidate => candidate?.trim())

const firstHttpUrl = (...candidates: (string | null | undefined)[]) =>
  candidates.find(candidate => candidate != null && isHttpUrl(candidate)) ?? null

/** A short video's address, made from its author and id. */
const videoUrl = ({ main, author }: TiktokRecord): string | null => {
  const name = author?.author_unique_id
  return name && /^[\w.]+$/.test(name) && /^\d+$/.test(main.video_id)
    ? `https://www.tiktok.com/@${name}/video/${main.video_id}`
    : null
}

function tiktokLayout(record: TiktokRecord): Layout {
  const { main, author = {}, stats = {}, sound = {}, classification = {} } = record
  return {
    title: author.author_unique_id ? `@${author.author_unique_id}` : author.author_nickname || 'Short video',
    iodSource: videoUrl(record),
    groups: [
      {
        title: 'Video',
        fields: [
          text('main.video_id', 'Video ID', main.video_id),
          text('main.description', 'Description', main.description),
          list('main.hashtags', 'Hashtags', main.hashtags),
          unixTime('main.create_time', 'Created', main.create_time),
        ],
      },
      {
        title: 'Author',
        fields: [
          text('author.author_id', 'Author ID', author.author_id),
          text('author.author_unique_id', 'Unique ID', author.author_unique_id),
          text('author.author_nickname', 'Nickname', author.author_nickname),
          text('author.author_description', 'Description', author.author_description),
          count('author.author_following_count', 'Following', author.author_following_count),
          count('author.author_follower_count', 'Followers', author.author_follower_count),
          count('author.author_heart_count', 'Hearts', author.author_heart_count),
          count('author.author_video_count', 'Videos', author.author_video_count),
        ],
      },
      {
        title: 'Stats',
        fields: [
          count('stats.play_count', 'Plays', stats.play_count),
          count('stats.digg_count', 'Likes', stats.digg_count),
          count('stats.comment_count', 'Comments', stats.comment_count),
          count('stats.share_count', 'Shares', stats.share_count),
          count('stats.collect_count', 'Saves', stats.collect_count),
          count('stats.repost_count', 'Reposts', stats.repost_count),
        ],
      },
      {
        title: 'Sound',
        fields: [
          text('sound.sound_id', 'Sound ID', sound.sound_id),
          text('sound.sound_name', 'Name', sound.sound_name),
          text('sound.sound_author', 'Author', sound.sound_author),
        ],
      },
      {
        title: 'Classification',
        fields: [
          text('classification.location_created', 'Location', classification.location_created),
          list('classification.diversification_labels', 'Labels', classification.diversification_labels),
          list('classification.suggested_words', 'Suggested words', classification.suggested_words),
        ],
      },
    ],
  }
}

function telegramLayout({ telegram }: TelegramRecord): Layout {
  const { channel = {}, post, attachments } = telegram
  return {
    title: firstFilled(channel.title, channel.username) ?? 'Channel post',
    originalUrl: firstHttpUrl(post.url),
    groups: [
      {
        title: 'Channel',
        fields: [
          text('telegram.channel.username', 'Username', channel.username),
          text('telegram.channel.title', 'Title', channel.title),
          text('telegram.channel.platform', 'Platform', channel.platform),
        ],
      },
      {
        title: 'Post',
        fields: [
          text('telegram.post.id', 'Post ID', post.id),
          text('telegram.post.author', 'Author', post.author),
          text('telegram.post.description', 'Description', post.description),
          url('telegram.post.url', 'URL', post.url),
        ],
      },
    ],
    attachments: (attachments ?? []).map(attachment => ({
      type: attachment.type,
      url: url('telegram.attachments.url', 'URL', attachment.url),
      sha256: text('telegram.attachments.sha256', 'SHA-256', attachment.sha256),
    })),
  }
}

function blogLayout({ metadata, imageHashes }: BlogRecord): Layout {
  const { author, publisher, keywords } = metadata.jsonld ?? {}
  return {
    title: firstFilled(metadata.title, metadata.og_title, metadata.canonical, metadata.og_url) ?? 'Article',
    originalUrl: firstHttpUrl(metadata.canonical, metadata.og_url),
    groups: [
      {
        title: 'Article',
        fields: [
          text('metadata.title', 'Title', metadata.title),
          text('metadata.description', 'Description', metadata.description),
          url('metadata.canonical', 'Canonical', metadata.canonical),
          text('metadata.generator', 'Generator', metadata.generator),
          text('metadata.article_published_time', 'Published', metadata.article_published_time),
          text('metadata.article_modified_time', 'Modified', metadata.article_modified_time),
        ],
      },
      {
        title: 'Open Graph',
        fields: [
          text('metadata.og_title', 'Title', metadata.og_title),
          text('metadata.og_description', 'Description', metadata.og_description),
          url('metadata.og_url', 'URL', metadata.og_url),
          url('metadata.og_image', 'Image', metadata.og_image),
          text('metadata.og_site_name', 'Site name', metadata.og_site_name),
        ],
      },
      {
        title: 'Twitter',
        fields: [
          text('metadata.twitter_title', 'Title', metadata.twitter_title),
          text('metadata.twitter_description', 'Description', metadata.twitter_description),
          url('metadata.twitter_url', 'URL', metadata.twitter_url),
          url('metadata.twitter_image', 'Image', metadata.twitter_image),
          text('metadata.twitter_site', 'Site', metadata.twitter_site),
        ],
      },
      {
        title: 'Structured data',
        fields: [
          text('metadata.jsonld.author.name', 'Author', author?.name),
          url('metadata.jsonld.author.url', 'Author URL', author?.url),
          text('metadata.jsonld.publisher.name', 'Publisher', publisher?.name),
          url('metadata.jsonld.publisher.url', 'Publisher URL', publisher?.url),
          url('metadata.jsonld.publisher.logo.url', 'Publisher logo', publisher?.logo?.url),
          list('metadata.jsonld.keywords', 'Keywords', keywords),
        ],
      },
    ],
    // The map's keys are addresses, so they must not be part of a path, which suggests categories.
    imageHashes: Object.entries(imageHashes ?? {}).map(([address, hash]) => ({
      url: url('imageHashes.url', 'Image URL', address),
      hash: text('imageHashes.hash', 'Image hash', hash),
    })),
  }
}

const layoutOf = (source: Source, record: Stored): Layout => {
  switch (source) {
    case 'tiktok':
      return tiktokLayout(record as Stored<'tiktok'>)
    case 'telegram':
      return telegramLayout(record as Stored<'telegram'>)
    case 'blog':
      return blogLayout(record as Stored<'blog'>)
  }
}

/** Presents a record of `source` for its card. Missing parts are left out. */
export function presentRecord(source: Source, record: Stored): RecordView {
  const {
    title,
    groups,
    attachments = [],
    imageHashes = [],
    originalUrl = null,
    iodSource,
  } = layoutOf(source, record)
  const { fetch_timestamp, source: collectedFrom } = record.collector_metadata
  return {
    id: record.id,
    source,
    sourceType: SOURCE_TYPE_OF[source],
    title,
    groups: groups.filter(group => group.fields.some(field => field.values.length > 0)),
    attachments,
    imageHashes,
    originalUrl,
    iodSource: originalUrl ?? iodSource ?? firstHttpUrl(collectedFrom),
    collectedAt: fetch_timestamp,
    collectedFrom,
  }
}

/** The values of a card that IODs may be made from. */
export const valuesOf = (view: RecordView): string[] =>
  [
    ...view.groups.flatMap(group => group.fields),
    ...view.attachments.flatMap(({ url, sha256 }) => [url, sha256]),
    ...view.imageHashes.flatMap(({ url, hash }) => [url, hash]),
  ].flatMap(field => field.values.map(value => value.iodValue))
