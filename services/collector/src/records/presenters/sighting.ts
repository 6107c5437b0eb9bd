import {
  type BlogRecord,
  cutText,
  exactTime,
  LIMITS,
  namedOriginal,
  type RecordContext,
  removalSeen,
  type SightingRecord,
  type TelegramRecord,
  type TiktokRecord,
} from '@iodine/contracts'
import type { RecordDoc } from '../models/record.js'
import { unpackRecord } from './record.js'

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
  hashes?: (string | null | undefined)[]
}

const timeOf = (value: string | null | undefined): string | null => exactTime(value ?? '') ?? null

/** Converts seconds since 1970 to ISO 8601. */
const timeOfSeconds = (seconds: number | null | undefined): string | null => {
  const date = new Date((seconds ?? Number.NaN) * 1_000)
  return Number.isNaN(date.getTime()) ? null : timeOf(date.toISOString())
}

const hostOf = (address: string): string | null =>
  URL.canParse(address) ? new URL(address).hostname.replace(/^www\./, '') : null

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
  hashes: (attachments ?? []).map(({ sha256 }) => sha256),
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
    hashes: Object.values(imageHashes ?? {}),
    names: namedOriginal(record),
  }
}

const fieldsOf = ({ source, data }: Pick<RecordDoc, 'source' | 'data'>): SourceFields => {
  const record = unpackRecord({ data })
  if (source === 'tiktok') return tiktok(record as TiktokRecord)
  return source === 'telegram' ? telegram(record as TelegramRecord) : blog(record as BlogRecord)
}

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
  const edited_at = fields.edited_at
  const edited = Boolean(context.edited) || edited_at !== undefined
  const from = context.forwarded_from
  const removed_at = removalSeen(unpackRecord(doc))
  const names = short(fields.names)
  const forwarded_from = from && { name: short(from.name), url: short(from.url) }
  const hashed = (fields.hashes ?? []).filter(hash => SHA256.test(hash ?? ''))
  const media = [
    ...(context.media ?? []).map(({ sha256, phash }) => ({ sha256: sha256 ?? null, phash: phash ?? null })),
    ...hashed.map(sha256 => ({ sha256: sha256 ?? null, phash: null })),
  ].filter(({ sha256, phash }) => sha256 || phash)
  return {
    id: doc._id.toHexString(),
    source: doc.source,
    key: doc.key,
    account: short(fields.account),
    url: short(fields.url),
    posted_at,
    claimed_at: edited ? (edited_at ?? null) : posted_at,
    fetched_at: doc.fetched_at.toISOString(),
    edited,
    text: cutText(postText(doc), LIMITS.contextTextMax),
    forwarded_from: forwarded_from && (forwarded_from.name || forwarded_from.url) ? forwarded_from : null,
    links: (context.links ?? []).filter(link => short(link) !== null),
    media: media.slice(0, LIMITS.contextMediaMax),
    shared: doc.shared ?? null,
    ...(removed_at && { removed_at }),
    ...(names && { names }),
  }
}
