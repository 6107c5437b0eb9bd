import {
  accountOn,
  type BlogRecord,
  cutText,
  exactTime,
  LIMITS,
  namedOriginal,
  type PostRecord,
  parseUrl,
  type RecordContext,
  type RecordOf,
  removalSeen,
  type SightingRecord,
  type Source,
  type TelegramRecord,
  type TiktokRecord,
} from '@iodine/contracts'
import type { RecordDoc } from '../models/record.js'
import { unpackRecord, witnessedTime } from './record.js'

/** Longer URLs and names are omitted: no search finds them. */
const ADDRESS_MAX = 500
const SHA256 = /^[0-9a-f]{64}$/
/** Publishing software may set a modification time shortly after the publication time. */
const CHANGED_AFTER_MS = 60_000

interface SourceFields {
  account?: string | null | undefined
  url?: string | null | undefined
  posted_at?: string | null | undefined
  /** Time of the last change according to the page; null for an unknown time. */
  edited_at?: string | null | undefined
  text?: string | null | undefined
  /** URL on another site that the page names as its original. */
  names?: string | null
  forwarded_from?: RecordContext['forwarded_from']
  links?: readonly (string | null | undefined)[]
  media?: readonly { sha256?: string | null | undefined; phash?: string | null | undefined }[]
}

const timeOf = (value: string | null | undefined): string | null => exactTime(value ?? '') ?? null

/** Converts seconds since 1970 to ISO 8601. */
const timeOfSeconds = (seconds: number | null | undefined): string | null => {
  const date = new Date((seconds ?? Number.NaN) * 1_000)
  return Number.isNaN(date.getTime()) ? null : timeOf(date.toISOString())
}

const hostOf = (address: string): string | null => parseUrl(address)?.hostname.replace(/^www\./, '') ?? null

const tiktok = ({ main, author }: TiktokRecord): SourceFields => {
  const account = author?.author_unique_id ?? author?.author_id
  return {
    account,
    url: `https://www.tiktok.com/@${author?.author_unique_id ?? ''}/video/${main.video_id}`,
    posted_at: timeOfSeconds(main.create_time),
    text: main.description,
  }
}

const telegram = ({ telegram: { channel, post, attachments } }: TelegramRecord): SourceFields => ({
  account: channel?.username ?? channel?.title ?? post.author,
  url: post.url,
  text: post.description,
  media: attachments ?? [],
})

const blog = (record: BlogRecord): SourceFields => {
  const { metadata, imageHashes } = record
  const [posted_at, changed_at] = [
    timeOf(metadata.article_published_time),
    timeOf(metadata.article_modified_time),
  ]
  const changed =
    changed_at && (!posted_at || Date.parse(changed_at) - Date.parse(posted_at) > CHANGED_AFTER_MS)
  const url = metadata.canonical || metadata.og_url
  return {
    account: hostOf(url ?? ''),
    url,
    posted_at,
    edited_at: changed ? changed_at : undefined,
    text: [metadata.title, metadata.description ?? metadata.og_description].filter(Boolean).join('\n'),
    media: Object.values(imageHashes ?? {}).map(sha256 => ({ sha256 })),
    names: namedOriginal(record),
  }
}

/** A repost is a forward of its original. A quoted post counts as a link. Names of accounts are unique by platform. */
const post = ({ post, author, relations, links, media }: PostRecord): SourceFields => {
  const account = author?.handle || author?.name || author?.id
  const original = relations?.repost_of
  return {
    account: account && accountOn(account, post.platform),
    url: post.url,
    posted_at: timeOf(post.published_at),
    edited_at: timeOf(post.edited_at) ?? undefined,
    text: [post.title, post.text].filter(Boolean).join('\n'),
    forwarded_from: original && { name: original.author, url: original.url },
    links: [...(links ?? []), relations?.quote_of?.url],
    media: media ?? [],
  }
}

const FIELDS: { [S in Source]: (record: RecordOf[S]) => SourceFields } = { tiktok, telegram, blog, post }

const fieldsOf = ({ source, data }: Pick<RecordDoc, 'source' | 'data'>): SourceFields =>
  (FIELDS[source] as (record: RecordOf[Source]) => SourceFields)(unpackRecord({ data }))

/** Returns the post's text: the context's, or else the source's. */
export const postText = (doc: Pick<RecordDoc, 'source' | 'data'>): string =>
  (doc.data.context as RecordContext | undefined)?.text || fieldsOf(doc).text || ''

const short = (value: string | null | undefined): string | null =>
  value && value.length <= ADDRESS_MAX ? value : null

/** Presents a record to the sightings service. */
export const presentSighting = (doc: RecordDoc): SightingRecord => {
  const context = (doc.data.context ?? {}) as NonNullable<RecordContext>
  const fields = fieldsOf(doc)
  const posted_at = timeOf(context.posted_at) ?? fields.posted_at ?? null
  const edited_at =
    fields.edited_at === undefined ? (timeOf(context.edited_at) ?? undefined) : fields.edited_at
  const edited = Boolean(context.edited) || edited_at !== undefined
  const from = context.forwarded_from ?? fields.forwarded_from
  const removed_at = removalSeen(unpackRecord(doc))
  const names = short(fields.names)
  const forwarded_from = from && { name: short(from.name), url: short(from.url) }
  const media = [...(context.media ?? []), ...(fields.media ?? [])]
    .map(({ sha256, phash }) => ({
      sha256: SHA256.test(sha256 ?? '') ? (sha256 ?? null) : null,
      phash: phash ?? null,
    }))
    .filter(({ sha256, phash }) => sha256 || phash)
  const witnessed = witnessedTime(doc)
  return {
    id: doc._id.toHexString(),
    source: doc.source,
    key: doc.key,
    account: short(fields.account),
    url: short(fields.url),
    posted_at,
    claimed_at: edited ? (edited_at ?? null) : posted_at,
    fetched_at: (witnessed ?? doc.fetched_at).toISOString(),
    ...(!witnessed && { imported_at: doc.created_at.toISOString() }),
    edited,
    text: cutText(postText(doc), LIMITS.contextTextMax),
    forwarded_from: forwarded_from && (forwarded_from.name || forwarded_from.url) ? forwarded_from : null,
    links: [...(context.links ?? []), ...(fields.links ?? [])]
      .filter(link => typeof link === 'string')
      .filter(link => short(link) !== null)
      .slice(0, LIMITS.contextLinksMax),
    media: media.slice(0, LIMITS.contextMediaMax),
    shared: doc.shared ?? null,
    revision: doc.revision ?? 0,
    ...(removed_at && { removed_at }),
    ...(names && { names }),
  }
}
