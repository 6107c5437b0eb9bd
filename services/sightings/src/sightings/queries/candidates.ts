import { canonicalLink, LIMITS, type Match, type SharedAs } from '@iodine/contracts'
import { likeness, rankingScores, type Signature } from '@iodine/likeness'
import type { QueryFilter, Types } from 'mongoose'
import type { SightingModels } from '../../models.js'
import type { LookupField, SightingDoc } from '../models/sighting.js'
import { differingBits, PHASH_BITS_MAX } from '../policies/media-keys.js'
import { NEAR, REWORDED } from '../policies/signatures.js'
import type { FindQuotes, Quoting } from './open-records.js'

/** A search in terms of the index. */
export interface Question {
  signature?: Signature
  /** The signature's text: literal, or the id of its record. */
  quoting?: Quoting
  /** Canonical URLs: of the post itself, or of links in it. */
  links: string[]
  /** Postings of media. */
  media: string[]
  phashes: string[]
  /** Key of the post itself, for any collecting user. */
  post_key?: string
  /** Canonical URL of the post that it was forwarded from. */
  origin?: string
  /** Canonical URL that its page names as its original: a candidate for the comparison. */
  named?: string
}

export interface Found {
  doc: SightingDoc
  matches: Set<Match>
  likeness: number | null
}

/** A sighting with the values that the user may see. */
export interface VisibleSighting extends Found {
  id: string
  own: boolean
  at: Date
  fetched_at: Date
  shared: SharedAs | null
  /** User who shares it by username. */
  sharer: string | null
}

/** Selects the sightings to search: a user's, or the shared ones. */
export type Scope = { owner: Types.ObjectId } | { shared: { $exists: true } }

const BY_TIME = { at: 1 } as const
/**
 * Excludes fields that the comparison of candidates does not need. Without a search for media, it also excludes
 * `media`.
 */
const WITHOUT = { bands: 0, keys: 0, links: 0, versions: 0 } as const
/** Maximum number of candidates by shared words, which bounds the time of a search. */
const KEY_CANDIDATES = 300

interface Lookup {
  field: LookupField
  values: string[]
  /** Reads in order of time, so that the limit keeps the earliest. */
  inOrder?: true
}

/** Returns the rarest words, with at most `KEY_CANDIDATES` sightings in total. */
const selectiveKeys = async (
  { sightings }: SightingModels,
  keys: string[],
  scope: Scope,
): Promise<string[]> => {
  const many = LIMITS.sightingPostings + 1
  const counted = await Promise.all(
    keys.map(async key => ({
      key,
      count: await sightings.countDocuments({ keys: key, ...scope } as QueryFilter<SightingDoc>, {
        limit: many,
      }),
    })),
  )
  const selective = counted.filter(({ count }) => count > 0 && count < many).sort((a, b) => a.count - b.count)
  let total = 0
  return selective.flatMap(({ key, count }) => {
    total += count
    return total <= KEY_CANDIDATES ? [key] : []
  })
}

/**
 * Finds matching sightings among at most `LIMITS.sightingCandidates` candidates. `truncated`: there were more
 * candidates.
 * @param during restricts them to a time range
 */
export const findMatches = async (
  models: SightingModels,
  { signature, quoting, links, media, phashes, post_key, origin, named }: Question,
  scope: Scope,
  during: QueryFilter<SightingDoc>,
  findQuotes: FindQuotes,
): Promise<{ found: Found[]; truncated: boolean }> => {
  const lookups: Lookup[] = [
    { field: 'post_key', values: post_key ? [post_key] : [], inOrder: true },
    // The named original is only a candidate, not a match: a page may name any URL.
    { field: 'self', values: [links, origin ?? [], named ?? []].flat(), inOrder: true },
    { field: 'exact', values: signature ? [signature.exact] : [], inOrder: true },
    { field: 'links', values: links, inOrder: true },
    { field: 'media', values: media },
    { field: 'bands', values: signature?.bands ?? [] },
    { field: 'keys', values: signature ? await selectiveKeys(models, signature.keys, scope) : [] },
  ]
  const active = lookups.filter(({ values }) => values.length > 0)
  const answers = await Promise.all(
    active.map(({ field, values, inOrder }) => {
      const filter = { [field]: values.length === 1 ? values[0] : { $in: values }, ...scope, ...during }
      return models.sightings
        .find(filter as QueryFilter<SightingDoc>, media.length > 0 ? WITHOUT : { ...WITHOUT, media: 0 })
        .sort(inOrder && values.length === 1 ? BY_TIME : {})
        .limit(LIMITS.sightingCandidates + 1)
        .lean<SightingDoc[]>()
    }),
  )
  const candidates = new Map<string, { doc: SightingDoc; by: Set<LookupField> }>()
  let truncated = false
  for (const [n, { field }] of active.entries())
    for (const doc of answers[n] ?? []) {
      const id = doc._id.toHexString()
      const known = candidates.get(id)
      if (known) known.by.add(field)
      else if (candidates.size < LIMITS.sightingCandidates) candidates.set(id, { doc, by: new Set([field]) })
      else truncated = true
    }
  const compared = [...candidates.values()]
  // Words that are rare among the candidates weigh more. A post may contain more than the searched text.
  const scores = signature
    ? rankingScores(
        signature,
        compared.map(({ doc }) => doc),
      )
    : []
  // Only the texts distinguish a quote from a rewording: a sketch has neither order nor stop words.
  const unequal = compared.filter(({ doc }) => doc.exact !== null && doc.exact !== signature?.exact)
  const quotes =
    quoting && unequal.length > 0
      ? await findQuotes(
          quoting,
          unequal.map(({ doc }) => doc._id.toHexString()),
        )
      : undefined
  const found = compared.map(({ doc, by }, n): Found => {
    const alike = likenessTo(signature, doc)
    const quoted = quotes?.get(doc._id.toHexString())
    const matches = new Set<Match>()
    const { self } = doc
    if (by.has('post_key') || (self !== null && links.includes(self))) matches.add('post')
    if (self !== null && self === origin) matches.add('forward')
    if (by.has('links'))
      matches.add(links.includes(canonicalLink(doc.forward?.url) ?? '') ? 'forward' : 'link')
    if (by.has('media') && hasMedia(doc, media, phashes)) matches.add('media')
    if (alike === 1 && doc.exact === signature?.exact) matches.add('exact')
    else if (quoted === 'whole') matches.add('quoted')
    else {
      const isNear = alike !== null && alike >= NEAR
      // `part` also requires likeness: a single word is part of many texts.
      if (isNear || (scores[n] ?? 0) >= REWORDED)
        matches.add(quoted === 'part' ? 'part' : isNear ? 'near' : 'reworded')
    }
    return { doc, matches, likeness: alike }
  })
  return { found: found.filter(({ matches }) => matches.size > 0), truncated }
}

/** Returns a sighting's signature. Candidates are read without `bands` and `keys`, which likeness does not need. */
export const signatureIn = ({ exact, bands = [], keys = [], sketch }: SightingDoc): Signature => ({
  exact: exact ?? '',
  bands,
  keys,
  sketch,
})

/** Returns the likeness of two texts, 0 to 1; null without a text. */
export const likenessTo = (signature: Signature | undefined, doc: SightingDoc): number | null => {
  if (!signature || doc.sketch.length === 0) return null
  return doc.exact === signature.exact ? 1 : likeness(signature, signatureIn(doc))
}

const hasMedia = (doc: SightingDoc, media: string[], phashes: string[]): boolean =>
  media.some(key => key.startsWith('s') && doc.media.includes(key)) ||
  doc.phashes.some(a => phashes.some(b => differingBits(a, b) <= PHASH_BITS_MAX))
