import type { RecordOf, Source } from '@iodine/contracts'

/** Why a part of a file yields no record. */
export type Reason =
  | 'broken-line'
  | 'not-an-item'
  | 'not-a-post'
  | 'no-content'
  | 'no-id'
  | 'rounded-id'
  | 'no-address'
  | 'short-address'
  | 'unknown-platform'
  | 'live'
  | 'ad'
  | 'service-message'
  | 'unsupported-message'
  | 'chat-not-chosen'
  | 'not-a-video'
  | 'not-public'
  | 'deletion'
  | 'wrong-columns'
  | 'cut-record'

/** What a record lacks that the file has, or that the end of the file is missing. */
export type Warning = 'cut-file' | 'rounded-id' | 'extra-cells' | 'unreadable-time' | 'text-cut' | 'list-cut'

/** Answers of the user, and the time of the file. */
export interface Answers {
  /** Time of the file (`lastModified`), ISO 8601 in UTC: collection time of items that state none. */
  file_time: string
  /** Account whose archive it is; channel of a Telegram export without a username. */
  username?: string
  /** Telegram chats by id. If present, exactly these are read. */
  chats?: Readonly<Record<string, { username?: string; title?: string }>>
  /** Name or number of the Telegram channel of a file that does not contain it. */
  channel?: string
  /** YouTube video of a file of comments. */
  video_id?: string
  /** Zone of times without one: of the IANA database, or an offset. */
  timezone?: string
  /** Format of times, with the directives of `strptime`. */
  date_format?: string
  /** Label of the WHATWG Encoding Standard. */
  encoding?: string
  /** Column by field, for a table with chosen columns. */
  mapping?: Readonly<Record<string, string>>
  /** Platform of rows without one. */
  platform?: string
  /** Lists of TikTok's own data: `posts`, `watched`, `liked`, `favorites`, `shared`. */
  parts?: readonly string[]
}

/** A record of a file. `at` is its line, or its number in a JSON document; both count from 1. */
export interface RecordItem<S extends Source = Source> {
  source: S
  record: RecordOf[S]
  at: number
  /** Values without a field in the record: `metrics`, `in_reply_to`, `edited_at`, `signature`, `list` and others. */
  also?: Readonly<Record<string, unknown>>
  /** The item states its collection time, so that it may replace older values of a stored record. */
  timed?: true
  /** The tool saw a part of the post. */
  partial?: true
  /** Other messages of the same album, which the record contains. */
  joined?: number
  warnings?: readonly Warning[]
}
export interface SkippedItem {
  skipped: Reason
  line: number
  /** Name of an unknown platform. */
  detail?: string
}
/** A warning about the file: its end is missing. `line` is the position of the first missing item. */
export interface FileWarning {
  warning: 'cut-file'
  line: number
}
export type Item = RecordItem | SkippedItem | FileWarning

/** A question that the user must or may answer before a file is read. */
export interface Question {
  name: Exclude<keyof Answers, 'file_time'>
  /** Without an answer, nothing or too little can be read. */
  required: boolean
  /** Proposed answers, the most probable one first. */
  proposed?: readonly string[]
  /** Of `mapping`: the header. */
  columns?: readonly string[]
  /** Of `mapping`: the first ten rows. */
  rows?: readonly (readonly string[])[]
  /** Of `mapping`: the proposed columns by field. */
  mapping?: Readonly<Record<string, string>>
}

/** A recognised file. */
export interface Format {
  kind: 'format'
  /** Name of the format, such as `zeeschuimer`; `read` takes it. */
  format: string
  /** Questions that improve the result. */
  questions?: readonly Question[]
}
/** A recognised file that cannot be read without an answer. */
export interface Ask {
  kind: 'ask'
  format: string
  questions: readonly Question[]
}
/** A file that cannot be read. */
export interface Refusal {
  kind: 'refused'
  format: 'empty' | 'unknown-format' | 'refused'
  /** Sentence for the user. */
  detail: string
}

/** Result of an import of a file. `records + merged + joined + number of skipped items` is the number of items. */
export interface Report {
  records: number
  /** Items that were merged into a record with the same key. */
  merged: number
  /** Messages that were joined into an album. */
  joined: number
  /** The first 100,000 skipped items. */
  skipped: { at: number; reason: Reason; detail?: string }[]
  /** Number of all skipped items, by reason. */
  reasons: Partial<Record<Reason, number>>
  /** The first 100,000 warnings. */
  warnings: { at: number; reason: Warning }[]
}
