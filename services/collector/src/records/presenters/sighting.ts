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

/** Longer addresses and names are left out: no search finds them. */
const ADDRESS_MAX = 500
const SHA256 = /^[0-9a-f]{64}$/
/** Publishing software notes a change when an article appears. */
const CHANGED_AFTER_MS = 60_000

interface Told {
  account?: string | null | undefined
  url?: string | null | undefined
  posted_at?: string | null | undefined
  /** When the page says that the post was changed; null: at some time. */
  edited_at?: string | null | undefined
  text?: string | null | undefined
  /** Of another site, which the page names as its original. */
  names?: string | null
  hashes?: (string | null | undefined)[]
}

const timeOf = (value: string | null | undefined): string | null => exactTime(value ?? '') ?? null

/** A time in seconds since 1970. */
const timeOfSeconds = (seconds: number | null | undefined): string | null => {
  const date = new Date((seconds ?? Number.NaN) * 1_000)
  return Number.isNaN(date.getTime()) ? null : timeOf(date.toISOString())
}

const hostOf = (address: string): string | null =>
  URL.canParse(address) ? new URL(address).hostname.replace(/^www\./, '') : null

const tiktok = ({ main, author }: TiktokRecord): Told => {
  const account = author?.author_unique_id ?? author?.author_id
  return {
    account,
    url: `https://www.tiktok.com/@${author?.author_unique_id ?? ''}/video/${main.video_id}`,
    posted_at: timeOfSeconds(main.create_time),
    text: main.description,
  }
}

const telegram = ({ telegram: { channel, post, attachments } }: TelegramRecord): Told => ({
  account: channel?.username ?? channel?.title ?? post.author,
  url: post.url,
  text: post.description,
  hashes: (attachments ?? []).map(({ sha256 }) => sha256),
})

const blog = (record: BlogRecord): Told => {
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

const toldBy = ({ source, data }: Pick<RecordDoc, 'source' | 'data'>): Told => {
  const record = unpackRecord({ data })
  if (source === 'tiktok') return tiktok(record as TiktokRecord)
  return source === 'telegram' ? telegram(record as TelegramRecord) : blog(record as BlogRecord)
}

/** The post's text: the context's, or what the source calls it. */
export const postText = (doc: Pick<RecordDoc, 'source' | 'data'>): string =>
  (doc.data.context as RecordContext | undefined)?.text || toldBy(doc).text || ''

const short = (value: string | null | undefined): string | null =>
  value && value.length <= ADDRESS_MAX ? value : null

/** What the sightings service gets of a record. */
export const presentSighting = (doc: RecordDoc): SightingRecord => {
  const context = (doc.data.context ?? {}) as NonNullable<RecordContext>
  const told = toldBy(doc)
  const posted_at = timeOf(context.posted_at) ?? told.posted_at ?? null
  const edited_at = told.edited_at
  const edited = Boolean(context.edited) || edited_at !== undefined
  const from = context.forwarded_from
  const removed_at = removalSeen(unpackRecord(doc))
  const names = short(told.names)
  const forwarded_from = from && { name: short(from.name), url: short(from.url) }
  const hashed = (told.hashes ?? []).filter(hash => SHA256.test(hash ?? ''))
  const media = [
    ...(context.media ?? []).map(({ sha256, phash }) => ({ sha256: sha256 ?? null, phash: phash ?? null })),
    ...hashed.map(sha256 => ({ sha256: sha256 ?? null, phash: null })),
  ].filter(({ sha256, phash }) => sha256 || phash)
  return {
    id: doc._id.toHexString(),
    source: doc.source,
    key: doc.key,
    account: short(told.account),
    url: short(told.url),
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
