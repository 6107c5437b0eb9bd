import { z } from 'zod'
import { dayFilters } from './analytics-filters.js'
import { endpoint } from './endpoint.js'
import { LIMITS } from './limits.js'
import { id, pageQuery, text, wholeNumber } from './primitives.js'
import { blogRecord, postRecord, type RecordOf, telegramRecord, tiktokRecord } from './record-schemas.js'
import { NOVELTIES, POST_AGES, REACHES, SHARED_AS, SOURCES, type Source } from './vocabulary.js'

/** A record as the API returns it. */
export type Stored<S extends Source = Source> = RecordOf[S] & { id: string }

export const ingestResult = z.union([
  z.strictObject({ id, status: z.enum(['created', 'updated', 'unchanged']) }),
  z.strictObject({ error: z.union([z.string(), z.array(z.string())]) }),
])
export type IngestResult = z.output<typeof ingestResult>
/** Error of a removal notice for a post without a stored record. */
export const NEVER_COLLECTED = 'This post was removed before you collected it'

const source = z.enum(SOURCES)
const stored = z.union([
  tiktokRecord.extend({ id }),
  telegramRecord.extend({ id }),
  blogRecord.extend({ id }),
  postRecord.extend({ id }),
])

/** Filters of the list of records that analyses link to. */
const recordFilters = {
  ...dayFilters,
  account: text().optional(),
  hashtag: text().optional(),
  domain: text().optional(),
  language: text(40).optional(),
  weekday: wholeNumber(0, 6).optional(),
  hour: wholeNumber(0, 23).optional(),
  age: z.enum(POST_AGES).optional(),
  platform: text(40).optional(),
  reach: z.enum(REACHES).optional(),
  novelty: z.enum(NOVELTIES).optional(),
}

export const collectorApi = {
  listRecords: endpoint('user', 'GET /:source/data', {
    scopes: ['read'],
    summary:
      "The caller's records of one source, newest first; with q those with a text that contains it. `from` and `to`: days of collection in `zone`; `weekday` (0: Monday) and `hour` of posting",
    params: z.strictObject({ source }),
    query: z.strictObject({
      q: text(LIMITS.searchMax).optional(),
      /** Only records that an import of the caller created or changed. */
      import_id: id.optional(),
      ...recordFilters,
      ...pageQuery,
    }),
    response: z.array(stored),
  }),
  ingestRecords: endpoint('collector', 'POST /:source/data', {
    scopes: ['collect'],
    summary: 'Store 1 to 500 records; returns a result per record, in order',
    params: z.strictObject({ source }),
    // Records are validated one by one, so that an invalid one does not fail the others.
    body: z.strictObject({
      records: z
        .array(z.unknown())
        .min(1, 'must hold 1 to 500 records')
        .max(LIMITS.ingestRecordsMax, 'must hold 1 to 500 records'),
      /** Import that the records belong to. Their `collector_metadata.source` begins with `import:`. */
      import_id: id.optional(),
      /** Number of the import's records before this batch: a batch that is repeated counts once. Default: all so far. */
      offset: z.int().min(0).optional(),
    }),
    response: z.strictObject({ results: z.array(ingestResult) }),
    bodyLimit: LIMITS.ingestBodyBytes,
    checksBody: true,
  }),
  knownRecords: endpoint('user', 'POST /:source/data/known', {
    scopes: ['read', 'collect'],
    summary: 'Whether the caller has a record of each natural key, in order',
    params: z.strictObject({ source }),
    body: z.strictObject({
      keys: z
        .array(z.string().max(LIMITS.naturalKeyMax))
        .min(1, 'must hold 1 to 500 keys')
        .max(LIMITS.ingestRecordsMax, 'must hold 1 to 500 keys'),
    }),
    bodyLimit: LIMITS.ingestBodyBytes,
    response: z.array(z.boolean()),
  }),
  containedValues: endpoint('user', 'POST /records/contained', {
    scopes: ['read'],
    summary:
      'For each value, in order, the sources in which a record of the caller contains it, in any case. At most 10,000 values of 1,000,000 characters together; one request of a user at a time',
    body: z.strictObject({
      values: z
        .array(text())
        .min(1, 'must hold 1 to 10,000 values')
        .max(LIMITS.containedValuesMax, 'must hold 1 to 10,000 values')
        .refine(
          values => values.reduce((sum, { length }) => sum + length, 0) <= LIMITS.containedCharacters,
          'must hold at most 1,000,000 characters together',
        ),
    }),
    bodyLimit: LIMITS.ingestBodyBytes,
    response: z.array(z.array(source)),
  }),
  deleteRecord: endpoint('user', 'DELETE /:source/data/:id', {
    summary: 'Delete one of the caller’s records',
    params: z.strictObject({ source, id }),
    response: z.strictObject({ id }),
  }),
  shareRecords: endpoint('user', 'POST /:source/data/share', {
    scopes: ['contribute'],
    summary:
      'Share some of the caller’s records in Origins, by username or anonymously, or stop sharing them. 404 without a change if one of them is not the caller’s',
    params: z.strictObject({ source }),
    body: z
      .strictObject({
        ids: z
          .array(id)
          .min(1, 'must hold 1 to 500 ids')
          .max(LIMITS.ingestRecordsMax, 'must hold 1 to 500 ids'),
        shared: z.boolean(),
        as: z.enum(SHARED_AS).optional(),
      })
      .refine(({ shared, as }) => !shared || as !== undefined, 'as: must be username or anonymous'),
    response: z.strictObject({ ids: z.array(id), shared: z.enum(SHARED_AS).nullable() }),
  }),
  listShared: endpoint('user', 'GET /:source/data/shared', {
    scopes: ['read'],
    summary: 'The caller’s shared records of one source',
    params: z.strictObject({ source }),
    response: z.array(z.strictObject({ id, shared: z.enum(SHARED_AS) })),
  }),
} as const
