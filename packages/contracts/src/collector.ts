import { z } from 'zod'
import { endpoint } from './endpoint.js'
import { LIMITS } from './limits.js'
import { id, pageQuery, text } from './primitives.js'
import { blogRecord, postRecord, type RecordOf, telegramRecord, tiktokRecord } from './record-schemas.js'
import { SHARED_AS, SOURCES, type Source } from './vocabulary.js'

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

export const collectorApi = {
  listRecords: endpoint('user', 'GET /:source/data', {
    scopes: ['read'],
    summary: "The caller's records of one source, newest first; with q those with a text that contains it",
    params: z.strictObject({ source }),
    query: z.strictObject({ q: text(LIMITS.searchMax).optional(), ...pageQuery }),
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
    }),
    response: z.strictObject({ results: z.array(ingestResult) }),
    bodyLimit: LIMITS.ingestBodyBytes,
    checksBody: true,
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
