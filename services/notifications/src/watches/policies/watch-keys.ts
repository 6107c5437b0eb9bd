import {
  canonicalLinkOf,
  foldText,
  type NewWatch,
  refang,
  type SightingRecord,
  type WatchedSearch,
} from '@iodine/contracts'
import { anchorsOf, valueKey } from '@iodine/known-iods'
import type { Signature } from '@iodine/likeness'
import { type GramLengths, gramsOf, gramsOfTerm, hashOf } from '@iodine/service-kit'

/** As of the list of IODs, so that a watch finds what the list finds. */
const GRAM_LENGTHS: GramLengths = { longest: 10 }
/** Grams of a term whose numbers of watches are compared. */
const GRAMS_COMPARED = 12
/** Maximum code points of a folded description that a search reads. */
const DESCRIPTION_SEARCHED = 2_000

/** A created IOD, as far as searches read it. */
export interface SearchedIod {
  id: string
  user_id: string
  value: string
  description: string
  category: string
  source_type: string
  source: string | null
}

/** Returns the folded texts that a search reads, separated by NUL. */
export const searchedText = ({ value, description }: SearchedIod): string =>
  [foldText(value), [...foldText(description)].slice(0, DESCRIPTION_SEARCHED).join('')].join('\0')

/** Returns a searched term as typed and refanged. */
export const termsOf = ({ q }: WatchedSearch): string[] => {
  const term = foldText(q ?? '')
  return [...new Set([term, refang(term)])].filter(each => each !== '')
}

/** What the keys of a watch depend on besides itself. */
interface KeyParts {
  /** Ids of the users that its search names. */
  creators: readonly string[]
  /** A gram of each of its search's terms. */
  grams: readonly number[]
  signature?: Signature | undefined
}

export const gramKey = (gram: number): string => `gram:${gram}`
/** Returns the most selective grams of a term; each text with the term has them. */
export const selectiveGrams = (term: string): number[] =>
  gramsOfTerm(term, GRAM_LENGTHS).slice(0, GRAMS_COMPARED)

const sourceKey = (source: string) => `source:${hashOf(source)}`

/** Returns the keys of a search by its most selective condition. An IOD that matches has one of them. */
const keysOfSearch = (search: WatchedSearch, { creators, grams }: KeyParts): string[] => {
  const { source, created_by, category, source_type } = search
  if (source) return [sourceKey(source)]
  if (created_by) return creators.map(id => `by:${id}`)
  if (grams.length > 0) return grams.map(gramKey)
  return category ? category.map(each => `category:${each}`) : (source_type ?? []).map(each => `type:${each}`)
}

const linkKey = (link: string) => `link:${hashOf(link)}`
const keysOfSignature = ({ bands, keys }: Signature): string[] => [
  ...bands.map(band => `band:${band}`),
  ...keys.map(key => `word:${key}`),
]

/** Returns the index keys of a watch; none if nothing can match it, as a text without letters. */
export const keysOfWatch = (watch: NewWatch, parts: KeyParts): string[] => {
  switch (watch.kind) {
    case 'iod':
    case 'campaign':
    case 'person':
      return [`${watch.kind}:${watch.subject_id.toLowerCase()}`]
    case 'search':
      return keysOfSearch(watch.search, parts)
    case 'url': {
      const link = canonicalLinkOf(refang(watch.text.trim()))
      return link === null ? [] : [linkKey(link)]
    }
    case 'term': {
      const key = valueKey({ value: watch.text, category: 'KEYWORDS' })
      return key ? [`anchor:${key.anchor}`] : []
    }
    case 'text':
      return parts.signature ? keysOfSignature(parts.signature) : []
  }
}

/** Returns the keys of the watches that a new IOD may match. */
export const keysOfIod = (iod: SearchedIod): string[] => [
  `iod:${iod.id}`,
  `person:${iod.user_id}`,
  `by:${iod.user_id}`,
  `category:${iod.category}`,
  `type:${iod.source_type}`,
  ...(iod.source === null ? [] : [sourceKey(iod.source)]),
  ...gramsOf(searchedText(iod).split('\0'), GRAM_LENGTHS).map(gramKey),
]

/** Returns the canonical URLs of a record: its own, and those it contains. */
export const linksOf = ({ url, links, forwarded_from, names }: SightingRecord): Set<string> =>
  new Set([url, ...links, forwarded_from?.url, names].flatMap(link => (link && canonicalLinkOf(link)) || []))

/** Returns the keys of the watches that a record may match. */
export const keysOfRecord = (record: SightingRecord, signature: Signature | undefined): string[] => [
  ...Array.from(anchorsOf(record.text), anchor => `anchor:${anchor}`),
  ...Array.from(linksOf(record), linkKey),
  ...(signature ? keysOfSignature(signature) : []),
]
