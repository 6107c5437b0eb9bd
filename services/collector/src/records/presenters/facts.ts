import {
  cutText,
  foldText,
  type PostRecord,
  type RecordOf,
  type Source,
  type TiktokRecord,
} from '@iodine/contracts'
import { countedValue, valuesIn } from '@iodine/service-kit'
import type { RecordDoc, RecordFacts } from '../models/record.js'
import { unpackRecord } from './record.js'
import { presentSighting } from './sighting.js'

/** Counted values of a kind, at most. */
const VALUES_MAX = 50
const ACCOUNT_MAX = 200

const hashtagsOf = (source: Source, record: RecordOf[Source]): readonly string[] => {
  if (source === 'tiktok') return (record as TiktokRecord).main.hashtags ?? []
  return source === 'post' ? ((record as PostRecord).hashtags ?? []) : []
}

/** Returns a record's number of plays or views; undefined if it states none. */
const reachOf = (source: Source, record: RecordOf[Source]): number | undefined => {
  const metrics = record.context?.metrics
  if (source === 'tiktok') return (record as TiktokRecord).stats?.play_count ?? metrics?.views
  const own = source === 'post' ? (record as PostRecord).metrics : undefined
  return own?.views ?? own?.plays ?? metrics?.views ?? metrics?.plays
}

/** Characters of a record that are compared with IODs, as in a post of Telegram. A comparison of 10,000 takes 15 times as long. */
const COMPARED_CHARACTERS = 4_096

/** Returns the texts of a record that are compared with IODs: account, URL, hashtags, links, and the post's text. */
export const comparedTexts = (doc: RecordDoc): string[] => {
  const { account, url, text, links } = presentSighting(doc)
  const tags = hashtagsOf(doc.source, unpackRecord(doc))
  let left = COMPARED_CHARACTERS
  return [...(account ? [account, `@${account}`] : []), url ?? '', ...tags, ...links, text].flatMap(each => {
    const part = cutText(each, left)
    left -= part.length
    return part === '' ? [] : [part]
  })
}

type FactsInput = Pick<RecordDoc, '_id' | 'source' | 'key' | 'fetched_at' | 'created_at' | 'data'>

/** Returns the values of a record that analyses count. */
export const factsOf = (doc: FactsInput): RecordFacts => {
  const { source } = doc
  const record = unpackRecord(doc)
  const { account, url, posted_at, text, links } = presentSighting(doc as RecordDoc)
  const hashtags = new Set<string>()
  const domains = new Set<string>()
  const add = (kind: 'hashtag' | 'domain', value: string | null) => {
    const counted = value && countedValue(kind, value)
    if (counted) (kind === 'hashtag' ? hashtags : domains).add(counted)
  }
  for (const tag of hashtagsOf(source, record)) add('hashtag', tag)
  for (const { kind, value } of valuesIn(text)) if (kind !== 'account') add(kind, value)
  for (const link of links) add('domain', link)
  if (source === 'blog') add('domain', url)
  const name = account && foldText(account)
  const language =
    source === 'post' ? (record as PostRecord).post.language?.split('-', 1)[0]?.toLowerCase() : undefined
  const reach = reachOf(source, record)
  return {
    ...(name && name.length <= ACCOUNT_MAX && { account: name }),
    ...(hashtags.size > 0 && { hashtags: [...hashtags].slice(0, VALUES_MAX) }),
    ...(domains.size > 0 && { domains: [...domains].slice(0, VALUES_MAX) }),
    ...(language && { language }),
    ...(posted_at && { posted_at: new Date(posted_at) }),
    platform: source === 'post' ? (record as PostRecord).post.platform : source,
    ...(reach !== undefined && reach !== null && { reach }),
  }
}
