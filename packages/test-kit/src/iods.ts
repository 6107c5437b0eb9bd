// Imports no Node modules: tests of the web sections use this file too.
import type { Iod, IodFacets, Vote, VoteType } from '@iodine/contracts'

let made = 0
const nextId = () => (++made).toString(16).padStart(24, '0')

/** An IOD as the API returns it, with a unique id. */
export const anIod = (fields: Partial<Iod> = {}): Iod => ({
  id: nextId(),
  value: 'Giant mirrors heat the lake',
  category: 'SENTENCE',
  description: 'Seen under several posts',
  source_type: 'MANUAL',
  source: null,
  source_id: null,
  created_by: 'ann',
  created_by_id: nextId(),
  created_by_username: 'ann',
  created_at: '2026-11-20T10:00:00.000Z',
  votes: [],
  comments: [],
  ...fields,
})

/** Exact counts of a list of IODs. */
export const facetsOf = (iods: readonly Pick<Iod, 'category' | 'source_type'>[]): IodFacets => {
  const facets: IodFacets = { total: iods.length, categories: {}, source_types: {} }
  for (const { category, source_type } of iods) {
    facets.categories[category] = (facets.categories[category] ?? 0) + 1
    facets.source_types[source_type] = (facets.source_types[source_type] ?? 0) + 1
  }
  return facets
}

/** A vote as the API returns it, with a unique id. */
export const aVote = (username: string | null, vote_type: VoteType): Vote => ({
  id: nextId(),
  user_id: nextId(),
  username,
  vote_type,
  created_at: '2026-11-19T08:30:00.000Z',
})
