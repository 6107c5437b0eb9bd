import { type RecordOf, SOURCES, type Source, type Stored } from '@iodine/contracts'
import { CSV_START, csvRow } from '@iodine/exchange/spreadsheet'
import { toZeeschuimer } from './export-zeeschuimer'

/** The formats of an export. `zeeschuimer`: the NDJSON that 4CAT imports. */
export const EXPORT_FORMATS = ['csv', 'ndjson', 'json', 'zeeschuimer'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** A record with its source. */
export type Exported = { [S in Source]: { source: S; record: Stored<S> } }[Source]

interface Summary {
  url?: string | null | undefined
  author?: string | null | undefined
  text?: string | null | undefined
  /** ISO 8601. */
  posted_at?: string | null | undefined
}

const isoOf = (seconds: number | null | undefined): string | undefined => {
  const time = new Date((seconds ?? Number.NaN) * 1_000)
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}

const SUMMARIES: { [S in Source]: (record: RecordOf[S]) => Summary } = {
  tiktok: ({ main, author }) => ({
    url: author?.author_unique_id
      ? `https://www.tiktok.com/@${author.author_unique_id}/video/${main.video_id}`
      : null,
    author: author?.author_unique_id ?? author?.author_nickname,
    text: main.description,
    posted_at: isoOf(main.create_time),
  }),
  telegram: ({ telegram: { channel, post } }) => ({
    url: post.url,
    author: channel?.username ?? channel?.title ?? post.author,
    text: post.description,
  }),
  blog: ({ metadata }) => ({
    url: metadata.canonical ?? metadata.og_url,
    author: metadata.jsonld?.author?.name,
    text: metadata.title ?? metadata.og_title,
    posted_at: metadata.article_published_time,
  }),
  post: ({ post, author }) => ({
    url: post.url,
    author: author?.handle ?? author?.name,
    text: post.text ?? post.title,
    posted_at: post.published_at,
  }),
}

const COLUMNS = ['source', 'id', 'url', 'author', 'text', 'posted_at', 'collected_at', 'record']

const toRow = ({ source, record }: Exported): string => {
  const { url, author, text, posted_at } = (SUMMARIES[source] as (record: Stored) => Summary)(record)
  const posted = posted_at ?? record.context?.posted_at
  const collected = record.collector_metadata.fetch_timestamp
  return csvRow([source, record.id, url, author, text, posted, collected, JSON.stringify(record)])
}

interface Writer {
  extension: string
  mediaType: string
  /** Text before the first record, between records, and after the last. */
  start: string
  between: string
  end: string
  /** Returns the text of a record; undefined if the format has no place for it. */
  write: (exported: Exported) => string | undefined
}

const line = (value: unknown): string => `${JSON.stringify(value)}\n`

export const WRITERS: Record<ExportFormat, Writer> = {
  csv: {
    extension: 'csv',
    mediaType: 'text/csv; charset=utf-8',
    start: CSV_START + csvRow(COLUMNS),
    between: '',
    end: '',
    write: toRow,
  },
  ndjson: {
    extension: 'ndjson',
    mediaType: 'application/x-ndjson',
    start: '',
    between: '',
    end: '',
    write: ({ source, record }) => line({ source, ...record }),
  },
  json: {
    extension: 'json',
    mediaType: 'application/json',
    start: '[\n',
    between: ',\n',
    end: '\n]\n',
    write: ({ source, record }) => JSON.stringify({ source, ...record }),
  },
  zeeschuimer: {
    extension: '4cat.ndjson',
    mediaType: 'application/x-ndjson',
    start: '',
    between: '',
    end: '',
    write: exported => {
      const item = exported.source === 'tiktok' ? toZeeschuimer(exported.record) : undefined
      return item && line(item)
    },
  },
}

/** The records of an export. */
export interface Scope {
  sources: readonly Source[]
  /** Searched text; may be empty. */
  term: string
  /** Ids of the selected records; null for all. */
  ids: ReadonlySet<string> | null
}

/** What is exported: the open tab with its search, the selected records, or all. */
export type Choice = 'shown' | 'selected' | 'all'

/** Returns the records of a choice in My Data. */
export const scopeOf = (
  choice: Choice,
  { source, term, chosen }: { source: Source; term: string; chosen: ReadonlySet<string> | null },
): Scope =>
  choice === 'all'
    ? { sources: SOURCES, term: '', ids: null }
    : { sources: [source], term, ids: choice === 'selected' ? chosen : null }
