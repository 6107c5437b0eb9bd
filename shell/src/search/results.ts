import { findFolded, foldText, paths, SOURCES, type Source } from '@iodine/contracts'
import type { ApiClient, AppPath } from '@iodine/mfe-kit'
import { formatAmount, truncate } from '@iodine/ui'

/** A result of a search. */
export interface Result {
  /** Unique among all results, and stable across searches. */
  key: string
  text: string
  /** Type or origin of the result. */
  detail?: string
  path: AppPath
}

export interface SearchResults {
  results: Result[]
  /** Number of all matches, or a lower bound of it; null if it is unknown. */
  total: number | null
}

/** A category of results, searched by one service. */
export interface Kind {
  id: string
  label: string
  /** Minimum length of a term, in characters. */
  termMin: number
  find: (api: ApiClient, term: string, signal: AbortSignal) => Promise<SearchResults>
  /** The section's page with the same search. */
  all: (term: string) => AppPath
}

/** Maximum number of results per category. */
export const SHOWN_MAX = 5
/** Maximum length of a term, in characters; longer terms are not searched. */
export const TERM_MAX = 100
const TEXT_SHOWN = 90
/** Maximum number of characters before the match. */
const LEAD = 30

const SOURCE_LABELS: Record<Source, string> = {
  tiktok: 'Short video',
  telegram: 'Channel message',
  blog: 'Blog article',
  post: 'Post',
}

/** Returns one line of a text, around its first match. */
export function excerptOf(text: string, term: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const [start = 0] = findFolded(line, term, 1)[0] ?? []
  if (start <= LEAD) return truncate(line, TEXT_SHOWN)
  // Begins at a word.
  const from = line.indexOf(' ', start - LEAD) + 1 || start
  return `…${truncate(line.slice(Math.min(from, start)), TEXT_SHOWN)}`
}

/** Maximum number of IODs that are ranked: the newest matches. */
const RANKED_MAX = 50
const RANK = { exact: 0, beginning: 1, word: 2, within: 3, elsewhere: 4 } as const

/** Ranks the match of a value: the whole value, its beginning, the beginning of a word, within a word, or none. */
function rankOf(value: string, term: string): number {
  const bare = (text: string) => foldText(text.trim().replace(/^#/, ''))
  const [text, wanted] = [bare(value), bare(term)]
  const at = text.indexOf(wanted)
  if (at < 0) return RANK.elsewhere
  if (at === 0) return text.length === wanted.length ? RANK.exact : RANK.beginning
  return /[\p{L}\p{N}]/u.test(text.charAt(at - 1)) ? RANK.within : RANK.word
}

/** Yields all texts within a value, in order. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null)
    for (const each of Object.values(value)) yield* textsIn(each)
}

/** Returns the text of a record that contains the term; otherwise its first text. */
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
      api.page('GET /iods', { query: { q, limit: RANKED_MAX }, signal }),
      api.call('POST /iods/lookup', { body: { values: [q] }, signal }),
    ])
    const all = [...new Map([...same, ...items].map(iod => [iod.id, iod])).values()]
    const ranked = all.map(iod => ({ iod, rank: rankOf(iod.value, q) })).sort((a, b) => a.rank - b.rank)
    return {
      results: ranked.slice(0, SHOWN_MAX).map(({ iod: { id, value, category, description }, rank }) => ({
        key: `iod ${id}`,
        // If only the description matches, the text contains an excerpt of it.
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
    const { items, total } = await api.page('GET /campaigns', { query: { q, limit: SHOWN_MAX }, signal })
    return {
      results: items.map(({ id, name, iod_count }) => ({
        key: `campaign ${id}`,
        text: excerptOf(name, q),
        detail: formatAmount(iod_count, 'IOD'),
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
      query: { search, limit: SHOWN_MAX },
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
          query: { q, limit: SHOWN_MAX },
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
      results: found.flatMap(({ results }) => results).slice(0, SHOWN_MAX),
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
    const { items, total } = await api.page('GET /narratives/data', {
      query: { q, limit: SHOWN_MAX },
      signal,
    })
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
