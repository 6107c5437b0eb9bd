import { SOURCES, type Source, type Stored } from '@iodine/contracts'
import { CSV_START, csvRow } from '@iodine/exchange/spreadsheet'
import type { Analyzed } from './analyzed'
import { toZeeschuimer } from './export-zeeschuimer'
import { summaryOf } from './record-summary'

/** The formats of an export. `zeeschuimer`: the NDJSON that 4CAT imports. */
export const EXPORT_FORMATS = ['csv', 'ndjson', 'json', 'zeeschuimer'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** A record with its source. */
export type Exported = { [S in Source]: { source: S; record: Stored<S> } }[Source]

const COLUMNS = ['source', 'id', 'url', 'author', 'text', 'posted_at', 'collected_at', 'record']

const toRow = ({ source, record }: Exported): string => {
  const { url, author, text, posted_at } = summaryOf(source, record)
  const collected = record.collector_metadata.fetch_timestamp
  return csvRow([source, record.id, url, author, text, posted_at, collected, JSON.stringify(record)])
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
  analyzed: Analyzed
  /** Ids of the selected records; null for all. */
  ids: ReadonlySet<string> | null
}

/** What is exported: the open tab with its search and filters, the selected records, or all. */
export type Choice = 'shown' | 'selected' | 'all'

/** Returns the records of a choice in My Data. */
export const scopeOf = (
  choice: Choice,
  {
    source,
    term,
    analyzed,
    chosen,
  }: Pick<Scope, 'term' | 'analyzed'> & { source: Source; chosen: ReadonlySet<string> | null },
): Scope =>
  choice === 'all'
    ? { sources: SOURCES, term: '', analyzed: {}, ids: null }
    : { sources: [source], term, analyzed, ids: choice === 'selected' ? chosen : null }
