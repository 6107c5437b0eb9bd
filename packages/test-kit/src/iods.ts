// Imports no Node modules: tests of the web sections use this file too.
import type { Evidence, Iod, IodFacets, Vote, VoteType } from '@iodine/contracts'

let made = 0
const nextId = () => (++made).toString(16).padStart(24, '0')

/** Returns an IOD as the API does, with a unique id. */
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

/** Returns exact counts of a list of IODs. */
export const facetsOf = (iods: readonly Pick<Iod, 'category' | 'source_type'>[]): IodFacets => {
  const facets: IodFacets = { total: iods.length, categories: {}, source_types: {} }
  for (const { category, source_type } of iods) {
    facets.categories[category] = (facets.categories[category] ?? 0) + 1
    facets.source_types[source_type] = (facets.source_types[source_type] ?? 0) + 1
  }
  return facets
}

/** Returns a vote as the API does, with a unique id. */
export const aVote = (username: string | null, vote_type: VoteType): Vote => ({
  id: nextId(),
  user_id: nextId(),
  username,
  vote_type,
  created_at: '2026-11-19T08:30:00.000Z',
})

/** Returns a sealed piece of evidence as the API does, with a unique id. */
export const anEvidence = (fields: Partial<Evidence> = {}): Evidence => {
  const { exact = 'Giant mirrors heat the lake', start = 13 } = fields
  const seq = made
  return {
    id: nextId(),
    iod_id: nextId(),
    kind: 'capture',
    capture_id: nextId(),
    role: 'text',
    pointer: '',
    start,
    end: start + exact.length,
    exact,
    prefix: 'They say so: ',
    suffix: ', and nobody asks',
    relation: 'same',
    url: 'https://example.org/post/1',
    captured_at: '2026-11-20T09:59:00.000Z',
    seal: {
      seq,
      manifest_hash: seq.toString(16).padStart(64, 'a'),
      received_at: '2026-11-20T10:00:00.000Z',
      salt: 'c2FsdHNhbHRzYWx0c2FsdA',
    },
    open: false,
    shared: false,
    created_by_id: nextId(),
    created_by_username: 'ann',
    created_at: '2026-11-20T10:01:00.000Z',
    ...fields,
  }
}
