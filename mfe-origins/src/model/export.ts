import type { Sighting } from '@iodine/contracts'
import { escapeFormula } from '@iodine/exchange/spreadsheet'
import { csvFormat } from 'd3'
import { describeEdge, type Found } from './sightings'

/** What is loaded of a search as CSV, the earliest first, with both times of each sighting. */
export const sightingsCsv = ({ items, byId, edgesTo }: Found): string =>
  `${csvFormat(
    items.map((item: Sighting) => ({
      at: item.at,
      at_is: item.posted_claimed ? 'claimed' : 'upper bound (collected)',
      posted_at_claimed: item.posted_at ?? '',
      collected_at: item.fetched_at,
      source: item.source,
      account: escapeFormula(item.account ?? ''),
      url: escapeFormula(item.url ?? ''),
      matches: item.matches.join(' '),
      words_shared: item.matches.includes('near') ? (item.likeness ?? '') : '',
      edited: String(item.edited),
      follows: escapeFormula(
        (edgesTo.get(item.id) ?? []).map(edge => describeEdge(edge, byId.get(edge.from))).join('; '),
      ),
      shared_by: item.own ? '' : (item.shared_by ?? 'anonymous'),
      text: escapeFormula(item.excerpt ?? ''),
    })),
  )}\n`
