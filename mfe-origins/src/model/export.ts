import type { Sighting } from '@iodine/contracts'
import { type Cell, writeCsv } from '@iodine/exchange/spreadsheet'
import { describeEdge, type SearchResult } from './sightings'

/** Columns of the CSV, with functions that return an occurrence's cells. */
const COLUMNS: readonly (readonly [name: string, cell: (item: Sighting, found: SearchResult) => Cell])[] = [
  ['at', ({ at }) => at],
  ['at_is', ({ posted_claimed }) => (posted_claimed ? 'claimed' : 'upper bound (collected)')],
  ['posted_at_claimed', ({ posted_at }) => posted_at],
  ['collected_at', ({ fetched_at }) => fetched_at],
  ['source', ({ source }) => source],
  ['account', ({ account }) => account],
  ['url', ({ url }) => url],
  ['matches', ({ matches }) => matches.join(' ')],
  ['words_shared', ({ matches, likeness }) => (matches.includes('near') ? likeness : null)],
  ['edited', ({ edited }) => edited],
  ['removed_seen_at', ({ removed_at }) => removed_at],
  ['names_as_original', ({ names }) => names],
  [
    'follows',
    ({ id }, { edgesTo, byId }) =>
      (edgesTo.get(id) ?? []).map(edge => describeEdge(edge, byId.get(edge.from))).join('; '),
  ],
  ['shared_by', ({ own, shared_by }) => (own ? '' : (shared_by ?? 'anonymous'))],
  ['text', ({ excerpt }) => excerpt],
]

/** Returns the loaded occurrences as CSV, the earliest first, with both times of each. */
export const sightingsCsv = (found: SearchResult): string =>
  writeCsv(
    COLUMNS.map(([name]) => name),
    found.items.map(item => COLUMNS.map(([, cell]) => cell(item, found))),
  )
