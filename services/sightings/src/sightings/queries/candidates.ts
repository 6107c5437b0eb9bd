import { type BodyOf, LIMITS, type Match, type recordsInternal, type SharedAs } from '@iodine/contracts'
import { likeness, rankingScores, type Signature } from '@iodine/likeness'
import type { QueryFilter, Types } from 'mongoose'
import type { SightingModels } from '../../models.js'
import type { LookedUp, SightingDoc } from '../models/sighting.js'
import { canonicalLink } from '../policies/canonical-link.js'
import { differingBits, LOOKS_BITS } from '../policies/media-keys.js'
import { NEAR, REWORDED } from '../policies/signed.js'

export type Quoting = NonNullable<BodyOf<typeof recordsInternal.openRecords>['quoting']>

/** Says of records whether their texts contain all of what is searched for (`whole`), or are a part of it, by their ids. */
export type FindQuotes = (quoting: Quoting, ids: string[]) => Promise<Map<string, 'whole' | 'part' | null>>

/** What is searched for, in the words of the index. */
export interface Question {
  signature?: Signature
  /** The signature's text: words, or the record that has it. */
  quoting?: Quoting
  /** Canonical addresses of what is linked to, or is the post. */
  links: string[]
  /** Postings of media. */
  media: string[]
  phashes: string[]
  /** The post itself, whoever collected it. */
  post_key?: string
  /** Canonical address of what it was forwarded from. */
  origin?: string
  /** Canonical address of what its page names as its original: a hint to compare both. */
  named?: string
}

export interface Found {
  doc: SightingDoc
  matches: Set<Match>
  likeness: number | null
}

/** A sighting as the user sees it. */
export interface Placed extends Found {
  id: string
  own: boolean
  at: Date
  fetched_at: Date
  shared: SharedAs | null
  /** Who shares it under their name. */
  sharer: string | null
}

/** Which of the sightings are looked through: a user's, or those that are shared. */
export type Scope = { owner: Types.ObjectId } | { shared: { $exists: true } }

const BY_TIME = { at: 1 } as const
/** Not read of candidates, but `media` where that is searched for: likeness needs the sketch alone. */
const WITHOUT = { bands: 0, keys: 0, links: 0, versions: 0 } as const
/** Sightings that are looked at for words that they share, so that a search takes no longer with more sightings. */
const KEY_CANDIDATES = 300

interface Lookup {
  field: LookedUp
  values: string[]
  /** In order of time: then the earliest are among those that are looked at. */
  inOrder?: true
}

/** The rarest words, with at most `KEY_CANDIDATES` sightings in all; of those that are not in too many. */
const tellingKeys = async (
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
  const telling = counted.filter(({ count }) => count > 0 && count < many).sort((a, b) => a.count - b.count)
  let total = 0
  return telling.flatMap(({ key, count }) => {
    total += count
    return total <= KEY_CANDIDATES ? [key] : []
  })
}

/**
 * Sightings that match, of at most `LIMITS.sightingCandidates` that are compared. `truncated`: there were more.
 * @param during restricts them to a time
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
    // What a page names as its original is compared, and no match by that alone: it may name any other.
    { field: 'self', values: [links, origin ?? [], named ?? []].flat(), inOrder: true },
    { field: 'exact', values: signature ? [signature.exact] : [], inOrder: true },
    { field: 'links', values: links, inOrder: true },
    { field: 'media', values: media },
    { field: 'bands', values: signature?.bands ?? [] },
    { field: 'keys', values: signature ? await tellingKeys(models, signature.keys, scope) : [] },
  ]
  const asked = lookups.filter(({ values }) => values.length > 0)
  const answers = await Promise.all(
    asked.map(({ field, values, inOrder }) => {
      const filter = { [field]: values.length === 1 ? values[0] : { $in: values }, ...scope, ...during }
      return models.sightings
        .find(filter as QueryFilter<SightingDoc>, media.length > 0 ? WITHOUT : { ...WITHOUT, media: 0 })
        .sort(inOrder && values.length === 1 ? BY_TIME : {})
        .limit(LIMITS.sightingCandidates + 1)
        .lean<SightingDoc[]>()
    }),
  )
  const candidates = new Map<string, { doc: SightingDoc; by: Set<LookedUp> }>()
  let truncated = false
  for (const [n, { field }] of asked.entries())
    for (const doc of answers[n] ?? []) {
      const id = doc._id.toHexString()
      const known = candidates.get(id)
      if (known) known.by.add(field)
      else if (candidates.size < LIMITS.sightingCandidates) candidates.set(id, { doc, by: new Set([field]) })
      else truncated = true
    }
  const compared = [...candidates.values()]
  // Words that few of the candidates have say more; a post may say more than what is searched for.
  const scores = signature
    ? rankingScores(
        signature,
        compared.map(({ doc }) => doc),
      )
    : []
  // Only the texts tell a quote from a rewording: a sketch has neither order nor stop words.
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
      // A word that stands alone is a part of much.
      if (isNear || (scores[n] ?? 0) >= REWORDED)
        matches.add(quoted === 'part' ? 'part' : isNear ? 'near' : 'reworded')
    }
    return { doc, matches, likeness: alike }
  })
  return { found: found.filter(({ matches }) => matches.size > 0), truncated }
}

/** What likeness needs of a signature; candidates are read without what they are looked up by. */
export const signatureIn = ({ exact, bands = [], keys = [], sketch }: SightingDoc): Signature => ({
  exact: exact ?? '',
  bands,
  keys,
  sketch,
})

/** Likeness of two texts, 0 to 1; null where one of them has none. */
export const likenessTo = (signature: Signature | undefined, doc: SightingDoc): number | null => {
  if (!signature || doc.sketch.length === 0) return null
  return doc.exact === signature.exact ? 1 : likeness(signature, signatureIn(doc))
}

const hasMedia = (doc: SightingDoc, media: string[], phashes: string[]): boolean =>
  media.some(key => key.startsWith('s') && doc.media.includes(key)) ||
  doc.phashes.some(a => phashes.some(b => differingBits(a, b) <= LOOKS_BITS))
