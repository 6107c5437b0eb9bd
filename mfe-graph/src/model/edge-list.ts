import { LIMITS } from '@iodine/contracts'
import type { Share } from '@iodine/coordination'
import { type Cell, writeCsv } from '@iodine/exchange/spreadsheet'
import { csvParseRows } from 'd3'
import type { CoShareEdge } from './co-shares'

const COLUMNS = ['object_id', 'account_id', 'content_id', 'timestamp_share'] as const

/** The contents of a file of shares. */
export interface EdgeList {
  shares: Share[]
  /** Number of rows without an object, an account or a post, or with a time that is not numeric. */
  rejected: number
}

/** The reason why a file is no edge list, as a message for the user. */
export class EdgeListError extends Error {}

/**
 * Reads a CSV of shares in CooRTweet's format: `object_id, account_id, content_id, timestamp_share` (seconds since
 * 1970), in any order; other columns are ignored.
 * @throws EdgeListError if a column is missing, the file is empty or has too many shares
 */
export function readEdgeList(text: string): EdgeList {
  let places: number[] | undefined
  let rejected = 0
  const shares: Share[] = []
  csvParseRows(text.replace(/^\ufeff/, ''), row => {
    if (!places) {
      const names = row.map(name => name.trim().toLowerCase())
      const missing = COLUMNS.filter(column => !names.includes(column))
      if (missing.length > 0) throw new EdgeListError(`The file has no column ${missing.join(', ')}`)
      places = COLUMNS.map(column => names.indexOf(column))
      return null
    }
    const [object = '', account = '', content = '', time = ''] = places.map(place => row[place]?.trim() ?? '')
    const at = time === '' ? Number.NaN : Number(time)
    if (object === '' || account === '' || content === '' || !Number.isFinite(at)) {
      if (row.length > 1 || row[0] !== '') rejected++
      return null
    }
    if (shares.length === LIMITS.coordinationShares)
      throw new EdgeListError('The file has more than 2,000,000 shares')
    shares.push({ object, account, content, at })
    return null
  })
  if (!places) throw new EdgeListError('The file is empty')
  return { shares, rejected }
}

/** Columns of a CSV of edges, named as in CooRTweet, with functions that return an edge's cells. */
const EDGE_COLUMNS: readonly (readonly [name: string, cell: (edge: CoShareEdge) => Cell])[] = [
  ['account_id', ({ a }) => a],
  ['account_id_y', ({ b }) => b],
  ['weight', ({ weight }) => weight],
  ['avg_time_delta', ({ avg_delta_s }) => avg_delta_s],
  ['n_content_id', ({ n_a }) => n_a],
  ['n_content_id_y', ({ n_b }) => n_b],
  ['edge_symmetry_score', ({ symmetry }) => symmetry],
  ['beyond_chance', ({ significant }) => significant],
  ['p_value', ({ p_value }) => p_value],
  ['q_value', ({ q_value }) => q_value],
]

/** Returns edges as CSV. */
export const edgesCsv = (edges: readonly CoShareEdge[]): string =>
  writeCsv(
    EDGE_COLUMNS.map(([name]) => name),
    edges.map(edge => EDGE_COLUMNS.map(([, cell]) => cell(edge))),
  )
