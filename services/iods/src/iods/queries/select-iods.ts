import {
  CATEGORIES,
  type Category,
  campaignsInternal,
  foldText,
  type iodsApi,
  type QueryOf,
  refang,
  SOURCE_TYPES,
  type SourceType,
  timesOf,
  VALUE_KINDS,
} from '@iodine/contracts'
import {
  containing,
  createRarestGram,
  gramsOfTerm,
  type Peers,
  type UserDirectory,
} from '@iodine/service-kit'
import { type IndexDefinition, type QueryFilter, Types } from 'mongoose'
import type { IodModels } from '../../models.js'
import { BY, BY_DATE, GRAM_LENGTHS, type IodDoc } from '../models/iod.js'
import { ofAgreement, ofThirdVote } from '../policies/agreement.js'
import { termOf } from '../policies/terms.js'

type Filters = QueryOf<typeof iodsApi.getIodFacets>

export interface Kinds {
  category: readonly Category[]
  source_type: readonly SourceType[]
}
/** Returns all kinds that the filters allow, without duplicates. */
export const kindsOf = ({ category = [...CATEGORIES], source_type = [...SOURCE_TYPES] }: Filters): Kinds => ({
  category: [...new Set(category)],
  source_type: [...new Set(source_type)],
})
/** Returns a filter by kinds with the values of both fields, as the index of kinds requires. */
export const ofKinds = ({ category, source_type }: Kinds): QueryFilter<IodDoc> => ({
  category: { $in: [...category] },
  source_type: { $in: [...source_type] },
})

/** A term is frequent if this many of 1,000 sampled IODs may contain it. */
const FREQUENT = 20

/** MongoDB rejects longer patterns. */
const PATTERN_BYTES = 32_764

/** Selection of the IODs that match all filters. */
export interface Selection {
  filter: QueryFilter<IodDoc>
  /** Prefix of the index that bounds the selection; undefined for all IODs. */
  by?: (typeof BY)[keyof typeof BY]
  /** Set if the selection is all IODs of these kinds. */
  kinds?: Kinds
  /** Whether the searched term is frequent in a sample. */
  isFrequent?: boolean
}

/** Returns the conditions of the filters that analyses link to; undefined without one. */
const analyzedFilter = (filters: Filters): QueryFilter<IodDoc> | undefined => {
  const { agreement, third_vote } = filters
  const terms = VALUE_KINDS.flatMap(kind => (filters[kind] ? [termOf(kind, filters[kind])] : []))
  const created_at = timesOf(filters)
  const and = [
    ...(agreement ? [ofAgreement(agreement)] : []),
    ...(third_vote ? [ofThirdVote(third_vote)] : []),
    ...terms.slice(1).map(term => ({ terms: term })),
  ]
  if (!created_at && terms.length === 0 && and.length === 0) return undefined
  return {
    ...(terms[0] && { terms: terms[0] }),
    ...(created_at && { created_at }),
    ...(and.length > 0 && { $and: and }),
  }
}

/** Returns the ids of the IODs that all of these campaigns have. @throws HttpError 404 for an unknown one */
export const membersOf = async (peers: Peers, ids: string[]): Promise<Types.ObjectId[]> => {
  const members = await peers.call('campaigns', campaignsInternal.getMembers, { body: { ids } })
  return members.map(id => new Types.ObjectId(id))
}

/**
 * Returns the index that bounds a selection, in an order. N-grams and terms have one for the order by date only, ids
 * none: the database sorts matches for the others.
 */
export const indexOf = (by: Selection['by'], order: IndexDefinition): IndexDefinition => {
  if (by === BY.id) return BY.id
  return { ...by, ...(by === BY.gram || by === BY.term ? BY_DATE : order) }
}

/** Creates a resolver of filters: an absent filter matches all IODs, a filter with several values any of them. */
export const createIodSelection = (
  { iods }: Pick<IodModels, 'iods'>,
  directory: UserDirectory,
  peers: Peers,
) => {
  const rarest = createRarestGram(iods, 'ngrams', BY_DATE)
  /** Returns the filter of the IODs that contain a term as typed or refanged, and whether the term is frequent. */
  const searched = async (term: string) => {
    const terms = [...new Set([term, refang(term)])].filter(each => each !== '')
    const found = await Promise.all(terms.map(each => rarest(gramsOfTerm(each, GRAM_LENGTHS))))
    const grams = found.map(({ gram }) => gram)
    const ngrams = grams.length === 1 ? grams[0] : { $in: grams }
    const isFrequent = found.some(({ sampled }) => sampled >= FREQUENT)
    const pattern = terms.map(each => containing(each).$regex).join('|')
    if (Buffer.byteLength(pattern) <= PATTERN_BYTES)
      return { filter: { ngrams, search: { $regex: pattern } }, isFrequent }
    const tests = terms.map(each => ({ $gte: [{ $indexOfBytes: ['$search', { $literal: each }] }, 0] }))
    return { filter: { ngrams, $expr: { $or: tests } }, isFrequent }
  }
  const ID = /^[0-9a-f]{24}$/i
  const creatorIds = async (given: string[]): Promise<Types.ObjectId[]> => {
    const ids = new Set(given.filter(each => ID.test(each)).map(id => id.toLowerCase()))
    for (const { id } of await directory.named(given.filter(each => !ID.test(each)))) ids.add(id)
    return [...ids].map(id => new Types.ObjectId(id))
  }
  return async (filters: Filters): Promise<Selection> => {
    const { category, source_type, created_by, source } = filters
    const term = foldText(filters.q ?? '')
    const analyzed = analyzedFilter(filters)
    const members = filters.campaign && (await membersOf(peers, filters.campaign))
    if (!term && !created_by && !source && !members) {
      const kinds = kindsOf(filters)
      if (analyzed) {
        const by = filters.domain || filters.hashtag || filters.account ? BY.term : undefined
        if (by) return { filter: { ...analyzed, ...ofKinds(kinds) }, by }
        return category || source_type
          ? { filter: { ...ofKinds(kinds), ...analyzed }, by: BY.kind }
          : { filter: analyzed }
      }
      return category || source_type ? { filter: ofKinds(kinds), by: BY.kind, kinds } : { filter: {}, kinds }
    }
    const search = term ? await searched(term) : undefined
    const filter = {
      ...analyzed,
      ...(members && { _id: { $in: members } }),
      ...search?.filter,
      ...(created_by && { created_by: { $in: await creatorIds(created_by) } }),
      ...(category && { category: { $in: category } }),
      ...(source_type && { source_type: { $in: source_type } }),
      ...(source && { source }),
    }
    // The most selective index: a source has fewer IODs than its creators, whose IODs are limited; those with a gram
    // are not.
    const by = members ? BY.id : source ? BY.source : created_by ? BY.creator : BY.gram
    return { filter, by, ...(search && { isFrequent: search.isFrequent }) }
  }
}
