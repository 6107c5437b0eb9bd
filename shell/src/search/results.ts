import { findFolded, foldText, paths, SOURCES, type Source } from '@iodine/contracts'
import type { ApiClient, AppPath } from '@iodine/mfe-kit'
import { truncate } from '@iodine/ui'

/** Something that a search has found. */
export interface Result {
  /** Unique among all results, and the same in later searches. */
  key: string
  text: string
  /** What kind of thing it is, or where it was found. */
  detail?: string
  path: AppPath
}

export interface Found {
  results: Result[]
  /** Number of all matches, or a lower bound of it; null if it is unknown. */
  total: number | null
}

/** A kind of things that are searched by a service. */
export interface Kind {
  id: string
  label: string
  /** In characters. */
  termMin: number
  find: (api: ApiClient, term: string, signal: AbortSignal) => Promise<Found>
  /** The section's page with the same search. */
  all: (term: string) => AppPath
}

/** Results of one kind that are shown. */
export const SHOWN = 5
/** In characters; longer terms are not searched. */
export const TERM_MAX = 100
const TEXT_SHOWN = 90
/** Characters shown before the match. */
const LEAD = 30

const SOURCE_LABELS: Record<Source, string> = {
  tiktok: 'Short video',
  telegram: 'Channel message',
  blog: 'Blog article',
}

/** One line of a text, around its first match. */
export function excerptOf(text: string, term: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const [start = 0] = findFolded(line, term, 1)[0] ?? []
  if (start <= LEAD) return truncate(line, TEXT_SHOWN)
  // At the beginning of a word.
  const from = line.indexOf(' ', start - LEAD) + 1 || start
  return `…${truncate(line.slice(Math.min(from, start)), TEXT_SHOWN)}`
}

/** IODs that are ranked: the newest that match. */
const RANKED = 50
const RANK = { whole: 0, beginning: 1, word: 2, within: 3, elsewhere: 4 } as const

/** How well a value matches a term: all of it, from its beginning, from a word, within a word, or not at all. */
function rankOf(value: string, term: string): number {
  const bare = (text: string) => foldText(text.trim().replace(/^#/, ''))
  const [text, wanted] = [bare(value), bare(term)]
  const at = text.indexOf(wanted)
  if (at < 0) return RANK.elsewhere
  if (at === 0) return text.length === wanted.length ? RANK.whole : RANK.beginning
  return /[\p{L}\p{N}]/u.test(text.charAt(at - 1)) ? RANK.within : RANK.word
}

/** All texts within a value, in their order. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null)
    for (const each of Object.values(value)) yield* textsIn(each)
}

/** The text of a record that has the term. */
export function textWith(record: object, term: string): string {
  const { collector_metadata: _collector, id: _id, ...shown } = record as Record<string, unknown>
  const wanted = foldText(term)
  let first: string | undefined
  for (const text of textsIn(shown)) {
    first ??= text
    if (foldText(text).includes(wanted)) return text
  }
  return first ?? ''
}

const iods: Kind = {
  id: 'iods',
  label: 'IODs',
  termMin: 1,
  find: async (api, q, signal) => {
    const [{ items, total }, same] = await Promise.all([
      api.page('GET /iods', { query: { q, limit: RANKED }, signal }),
      api.call('POST /iods/lookup', { body: { values: [q] }, signal }),
    ])
    const all = [...new Map([...same, ...items].map(iod => [iod.id, iod])).values()]
    const ranked = all.map(iod => ({ iod, rank: rankOf(iod.value, q) })).sort((a, b) => a.rank - b.rank)
    return {
      results: ranked.slice(0, SHOWN).map(({ iod: { id, value, category, description }, rank }) => ({
        key: `iod ${id}`,
        // What has the match in its description alone shows that.
        text:
          rank < RANK.elsewhere
            ? excerptOf(value, q)
            : `${truncate(value, LEAD)} – ${excerptOf(description, q)}`,
        detail: category,
        path: paths.iod(id),
      })),
      total,
    }
  },
  all: term => paths.iods({ q: term }),
}

const campaigns: Kind = {
  id: 'campaigns',
  label: 'Campaigns',
  termMin: 1,
  find: async (api, q, signal) => {
    const { items, total } = await api.page('GET /campaigns', { query: { q, limit: SHOWN }, signal })
    return {
      results: items.map(({ id, name, iod_count }) => ({
        key: `campaign ${id}`,
        text: excerptOf(name, q),
        detail: `${iod_count} ${iod_count === 1 ? 'IOD' : 'IODs'}`,
        path: paths.campaign(id),
      })),
      total,
    }
  },
  all: term => paths.campaigns({ search: term }),
}

const people: Kind = {
  id: 'people',
  label: 'People',
  termMin: 3,
  find: async (api, search, signal) => {
    const { users, total } = await api.call('GET /community/users', {
      query: { search, limit: SHOWN },
      signal,
    })
    return {
      results: users.map(({ id, username }) => ({
        key: `person ${id}`,
        text: `@${username}`,
        path: paths.person(id),
      })),
      total,
    }
  },
  all: term => paths.community({ search: term }),
}

const records: Kind = {
  id: 'records',
  label: 'My data',
  termMin: 2,
  find: async (api, q, signal) => {
    const found = await Promise.all(
      SOURCES.map(async source => {
        const { items, total } = await api.page('GET /:source/data', {
          params: { source },
          query: { q, limit: SHOWN },
          signal,
        })
        const results = items.map(record => ({
          key: `record ${record.id}`,
          text: excerptOf(textWith(record, q), q),
          detail: SOURCE_LABELS[source],
          path: paths.data({ source, q }),
        }))
        return { results, total: total ?? 0 }
      }),
    )
    return {
      results: found.flatMap(({ results }) => results).slice(0, SHOWN),
      total: found.reduce((sum, { total }) => sum + total, 0),
    }
  },
  all: term => paths.data({ q: term }),
}

const narratives: Kind = {
  id: 'narratives',
  label: 'My narratives',
  termMin: 2,
  find: async (api, q, signal) => {
    const { items, total } = await api.page('GET /narratives/data', { query: { q, limit: SHOWN }, signal })
    return {
      results: items.map(({ id, text }) => ({
        key: `narrative ${id}`,
        text: excerptOf(text, q),
        path: paths.narrative(id),
      })),
      total,
    }
  },
  all: () => paths.narratives(),
}

export const KINDS: readonly Kind[] = [iods, campaigns, people, records, narratives]
