import {
  isImported,
  type NewEvidence,
  namedOriginal,
  removalSeen,
  SOURCE_TYPE_OF,
  type Source,
  type SourceType,
  type Stored,
  siteOf,
} from '@iodine/contracts'
import {
  type Attachment,
  type FieldGroup,
  type FieldValue,
  firstHttpUrl,
  type ImageHash,
} from './record-fields'
import { layOut } from './record-layouts'

/** The data of a record's card. */
export interface RecordView {
  id: string
  source: Source
  sourceType: SourceType
  title: string
  /** Only groups with at least one value. */
  groups: FieldGroup[]
  attachments: Attachment[]
  imageHashes: ImageHash[]
  /** Canonical or post URL; null unless it is http(s). */
  originalUrl: string | null
  /** The source of IODs created from the record. */
  iodSource: string | null
  collectedAt: string
  collectedFrom: string
  /** Whether it comes from a file: its times and hashes are claims. */
  isImported: boolean
  /** Site that an article's page names as its original, such as `paper.example.com`: an unverified claim. */
  names?: string
  /** ISO time at which the post was first seen removed. */
  removedAt?: string
}

/** Converts a record of `source` to the data of its card. Missing values are omitted. */
export function presentRecord(source: Source, record: Stored): RecordView {
  const { originalUrl = null, iodSource, ...layout } = layOut(source, record)
  const { fetch_timestamp: collectedAt, source: collectedFrom } = record.collector_metadata
  const names = source === 'blog' ? siteOf(namedOriginal(record as Stored<'blog'>)) : null
  const removedAt = removalSeen(record)
  return {
    id: record.id,
    source,
    sourceType: SOURCE_TYPE_OF[source],
    attachments: [],
    imageHashes: [],
    ...layout,
    originalUrl,
    iodSource: originalUrl ?? iodSource ?? firstHttpUrl(collectedFrom),
    collectedAt,
    collectedFrom,
    isImported: isImported(record),
    ...(names && { names }),
    ...(removedAt && { removedAt }),
  }
}

/** Selected text of a record from which an IOD is created. */
export interface TextSelection {
  /** Path of the field. */
  path: string
  /** The IOD's value. */
  value: string
  /** Position of the text in the record, in UTF-16 units of the field's text; null if the record's text differs. */
  range: { pointer: string; start: number; end: number } | null
}

/** Selects a whole value of a field. */
export const selectValue = (path: string, { iodValue, pointer }: FieldValue): TextSelection => ({
  path,
  value: iodValue,
  range: pointer === null ? null : { pointer, start: 0, end: iodValue.length },
})

/** Returns the selected text as a quote for evidence; null if the record's text differs. */
export const quoteOf = ({ source, id }: RecordView, { value, range }: TextSelection): NewEvidence | null =>
  range && { record: { source, id }, role: 'record', ...range, exact: value }

/** Returns the values of a card from which IODs may be created. */
export const valuesOf = (view: RecordView): string[] =>
  [
    ...view.groups.flatMap(group => group.fields),
    ...view.attachments.flatMap(({ url, sha256 }) => [url, sha256]),
    ...view.imageHashes.flatMap(({ url, hash }) => [url, hash]),
  ].flatMap(field => field.values.map(value => value.iodValue))
