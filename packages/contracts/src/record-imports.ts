import { z } from 'zod'
import { endpoint } from './endpoint.js'
import { sha256 } from './evidence.js'
import { LIMITS } from './limits.js'
import { filledText, id, pageQuery, time, timestamp } from './primitives.js'

/** `open`: accepts records; `undoing`: its records are being removed. */
export const RECORD_IMPORT_STATES = ['open', 'undoing'] as const

const byId = z.strictObject({ id })
const count = z.int().min(0).max(Number.MAX_SAFE_INTEGER)

/** Fields of an import that its creator states. All are claims. */
const stated = {
  /** Name of the file's format, for example `zeeschuimer`. */
  format: z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be 1 to 40 of a-z, 0-9 and -'),
  file_name: filledText(LIMITS.fileNameMax),
  file_sha256: sha256,
  /** Number of records that will be sent, at most. */
  total: count.min(1),
}

/** An import of a file of another tool into the caller's records. */
export const recordImport = z.strictObject({
  id,
  ...stated,
  state: z.enum(RECORD_IMPORT_STATES),
  /** Records received so far: `offset` of the next batch. */
  received: z.int(),
  /** Outcome of the received records. */
  created: z.int(),
  merged: z.int(),
  unchanged: z.int(),
  refused: z.array(z.strictObject({ reason: z.string(), count: z.int() })),
  created_at: time,
  /** Until then it can be undone. */
  undo_until: time,
})
export type RecordImport = z.output<typeof recordImport>

export const recordImportsApi = {
  createRecordImport: endpoint('user', 'POST /imports', {
    scopes: ['collect'],
    summary:
      'Begin an import of a file into the caller’s records. 413 if `new_records` exceed a quota; 409 with 1,000 imports that can still be undone',
    body: z
      .strictObject({
        ...stated,
        /**
         * Time of the file. Records with this `fetch_timestamp` do not state when they were collected, and fill only empty
         * fields of known records. Default: so do all records.
         */
        file_time: timestamp.optional(),
        /** Number of records that are not stored yet; `total` by default. */
        new_records: count.optional(),
      })
      .refine(({ new_records = 0, total }) => new_records <= total, 'new_records: must be at most total'),
    response: recordImport,
    status: 201,
  }),
  listRecordImports: endpoint('user', 'GET /imports', {
    scopes: ['read', 'collect'],
    summary: 'The caller’s imports of files into records, newest first',
    query: z.strictObject(pageQuery),
    response: z.array(recordImport),
  }),
  getRecordImport: endpoint('user', 'GET /imports/:id', {
    scopes: ['read', 'collect'],
    summary: 'An import of the caller, and its counts',
    params: byId,
    response: recordImport,
  }),
  undoRecordImport: endpoint('user', 'DELETE /imports/:id', {
    summary:
      'Undo an import within 30 days: records that came by it alone are deleted, and other records lose what it added. The import is listed until that is done',
    params: byId,
    response: recordImport,
    status: 202,
  }),
} as const
