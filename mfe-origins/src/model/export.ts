import type { Sighting } from '@iodine/contracts'
import { csvFormat } from 'd3'
import { describeEdge, type Found } from './sightings'

/** Text that a spreadsheet does not take for a formula. */
const harmless = (text: string | null): string =>
  text === null ? '' : /^[=+\-@\t\r]/.test(text) ? `'${text}` : text

/** What is loaded of a search as CSV, the earliest first, with both times of each sighting. */
export const sightingsCsv = ({ items, byId, edgesTo }: Found): string =>
  `${csvFormat(
    items.map((item: Sighting) => ({
      at: item.at,
      at_is: item.posted_claimed ? 'claimed' : 'collected',
      posted_at_claimed: item.posted_at ?? '',
      collected_at: item.fetched_at,
      source: item.source,
      account: harmless(item.account),
      url: harmless(item.url),
      matches: item.matches.join(' '),
      likeness: item.likeness ?? '',
      edited: String(item.edited),
      follows: harmless(
        (edgesTo.get(item.id) ?? []).map(edge => describeEdge(edge, byId.get(edge.from))).join('; '),
      ),
      shared_by: item.own ? '' : (item.shared_by ?? 'anonymous'),
      text: harmless(item.excerpt),
    })),
  )}\n`
