import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { DETAILS, LIMITS, type MailJob, paths, type ServiceName } from '@iodine/contracts'
import {
  byId,
  conflict,
  HttpError,
  inTransaction,
  isDuplicateKey,
  joinPieces,
  type KindSpec,
  notFound,
  PEER_BACKOFF_MAX_MS,
  tooManyRequests,
} from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { AuthContext } from '../../context.js'
import { sendMail } from '../../mails/commands/send-mail.js'
import type { DataExportDoc, ExportPart, ExportPieceDoc } from '../models/data-export.js'
import type { UserDoc } from '../models/user.js'
import { EXPORT_SERVICES, readPart, writeExport } from '../queries/personal-data.js'

const [compress, decompress] = [promisify(gzip), promisify(gunzip)]
const DAY_MS = 24 * 3_600_000
/** Bytes of a piece before it is compressed. */
const PIECE_BYTES = 1_048_576
/** Timeout of a service's part in milliseconds. */
const PART_MS = 240_000

/** Returns the user's latest export; null if there is none or it has expired. */
export const findExport = ({ models }: AuthContext, userId: string) =>
  models.dataExports.findOne({ _id: userId, expires_at: { $gt: new Date() } }).lean<DataExportDoc>()

/**
 * Starts an export and removes the previous one. Throws 409 while one is in progress, and 429 past the daily limit of
 * exports.
 */
export const beginExport = async (context: AuthContext, userId: string): Promise<DataExportDoc> => {
  const { models, service, exports } = context
  const _id = new Types.ObjectId(userId)
  const before = await models.dataExports.findById(_id).lean<DataExportDoc>()
  if (before?.state === 'working') throw conflict(DETAILS.exportUnderWay)
  const now = Date.now()
  const started = (before?.started ?? []).filter(at => at.getTime() > now - DAY_MS)
  const [oldest] = started
  if (oldest && started.length >= LIMITS.dataExportsADay)
    throw tooManyRequests((oldest.getTime() + DAY_MS - now) / 1_000)
  const created_at = new Date(now)
  const fields: Omit<DataExportDoc, '_id'> = {
    export_id: new Types.ObjectId(),
    state: 'working',
    parts: {},
    bytes: 0,
    waiting_for: null,
    created_at,
    started: [...started, created_at],
    expires_at: new Date(now + LIMITS.dataExportWaitMs),
  }
  // Of concurrent requests only one replaces the export that all have read, or creates the first.
  await inTransaction(service.mongo, async session => {
    if (before) {
      const { matchedCount } = await models.dataExports.updateOne(
        { _id, export_id: before.export_id, state: before.state },
        { $set: fields },
        { session },
      )
      if (matchedCount === 0) throw conflict(DETAILS.exportUnderWay)
      await models.exportPieces.deleteMany({ export_id: before.export_id }, { session })
    } else await models.dataExports.create([{ _id, ...fields }], { session })
    const id = fields.export_id.toHexString()
    await exports.add({ id }, { session })
  }).catch(error => {
    throw isDuplicateKey(error) ? conflict(DETAILS.exportUnderWay) : error
  })
  return { _id, ...fields }
}

/** Removes a user's export with its pieces. Idempotent. */
export const dropExport = async ({ models }: AuthContext, userId: Types.ObjectId): Promise<void> => {
  const doc = await models.dataExports.findById(userId).select('export_id').lean<DataExportDoc>()
  if (!doc) return
  await models.exportPieces.deleteMany({ export_id: doc.export_id })
  await models.dataExports.deleteOne({ _id: userId })
}

/** Creates the outbox kind that exports a user's data service by service, then mails that the file is ready. */
export const dataExports = (of: () => AuthContext): KindSpec<{ id: string }> => ({
  ...byId,
  isHeavy: true,
  concurrency: 2,
  backoffMaxMs: PEER_BACKOFF_MAX_MS,
  async handle([begun]) {
    const context = of()
    const working = { export_id: begun?.id, state: 'working' as const }
    const doc = await context.models.dataExports.findOne(working).lean<DataExportDoc>()
    // Other exports run between the parts.
    if (doc && (await stepExport(context, doc))) return 0
  },
})

/**
 * Adds the part of the next service, or completes the export. Returns whether parts are missing. Throws 503 while that
 * service is down; the export then waits for it. Concurrent runs are safe.
 */
const stepExport = async (context: AuthContext, doc: DataExportDoc): Promise<boolean> => {
  const { models } = context
  const next = EXPORT_SERVICES.find(service => !doc.parts[service])
  if (next === undefined) {
    await completeExport(context, doc)
    return false
  }
  const { export_id } = doc
  const attempt = randomUUID()
  const drop = () => models.exportPieces.deleteMany({ export_id, attempt })
  try {
    const stored = await storePart(context, doc, next, attempt)
    if (stored === null) {
      await failExport(context, doc)
      return false
    }
    const part: ExportPart = { attempt, pieces: stored.pieces }
    const { matchedCount } = await models.dataExports.updateOne(
      { export_id, state: 'working', [`parts.${next}`]: { $exists: false } },
      { $set: { [`parts.${next}`]: part, waiting_for: null }, $inc: { bytes: stored.bytes } },
    )
    // Another attempt was first, or the account is deleted.
    if (matchedCount === 0) await drop()
    return true
  } catch (error) {
    await drop()
    if (error instanceof HttpError)
      await models.dataExports.updateOne({ export_id, state: 'working' }, { $set: { waiting_for: next } })
    throw error
  }
}

/** Stores a service's data about the user; null if the file would become too large. */
const storePart = async (
  { models, service: { peers } }: AuthContext,
  { _id, export_id, bytes: before, expires_at }: DataExportDoc,
  service: ServiceName,
  attempt: string,
): Promise<{ pieces: number; bytes: number } | null> => {
  let [pieces, bytes] = [0, 0]
  for await (const piece of joinPieces(readPart(peers, service, _id.toHexString(), PART_MS), PIECE_BYTES)) {
    bytes += piece.length
    if (before + bytes > LIMITS.dataExportBytes) return null
    const stored = { export_id, attempt, n: pieces++, gzip: await compress(piece), expires_at }
    await models.exportPieces.create(stored)
  }
  return { pieces, bytes }
}

const failExport = async (
  { models }: AuthContext,
  { export_id }: Pick<DataExportDoc, 'export_id'>,
): Promise<void> => {
  const expires_at = new Date(Date.now() + LIMITS.dataExportKeptMs)
  await models.dataExports.updateOne(
    { export_id, state: 'working' },
    { $set: { state: 'failed', waiting_for: null, expires_at } },
  )
  await models.exportPieces.deleteMany({ export_id })
}

/** Marks the file as ready for a day and mails its owner. */
const completeExport = async (context: AuthContext, doc: DataExportDoc): Promise<void> => {
  const { config, models, service } = context
  const { _id, export_id, parts } = doc
  const user = await models.users.findOne({ _id, deleted_at: null }).select('email').lean<UserDoc>()
  if (!user) return dropExport(context, _id)
  const expires_at = new Date(Date.now() + LIMITS.dataExportKeptMs)
  const attempts = Object.values(parts).map(({ attempt }) => attempt)
  await models.exportPieces.deleteMany({ export_id, attempt: { $nin: attempts } })
  await models.exportPieces.updateMany({ export_id }, { $set: { expires_at } })
  const mail: MailJob = {
    template: 'data-export-ready',
    to: user.email,
    link: config.PUBLIC_URL + paths.profile({ tab: 'data' }),
    expires_at: expires_at.toISOString(),
  }
  await inTransaction(service.mongo, async session => {
    const { matchedCount } = await models.dataExports.updateOne(
      { export_id, state: 'working' },
      { $set: { state: 'ready', expires_at } },
      { session },
    )
    if (matchedCount > 0) await sendMail(context, `export-${export_id}`, mail, expires_at, session)
  })
}

/** Returns the file of a user's export in pieces. Throws 404 unless the export is the user's, ready and not expired. */
export const readExport = async (
  { models }: AuthContext,
  userId: string,
  id: string,
): Promise<{ at: Date; content: AsyncIterable<string | Uint8Array> }> => {
  const doc = await models.dataExports
    .findOne({ _id: userId, export_id: id, state: 'ready', expires_at: { $gt: new Date() } })
    .lean<DataExportDoc>()
  if (!doc) throw notFound()
  const { export_id, parts, created_at: at } = doc
  async function* read(service: ServiceName) {
    const { attempt, pieces } = parts[service] as ExportPart
    for (let n = 0; n < pieces; n++) {
      const piece = await models.exportPieces.findOne({ export_id, attempt, n }).lean<ExportPieceDoc>()
      // The export was replaced or removed meanwhile.
      if (!piece) throw notFound()
      yield await decompress(bytesOf(piece.gzip))
    }
  }
  const services = EXPORT_SERVICES.filter(service => parts[service])
  return { at, content: writeExport({ id: userId, at, services }, read) }
}

/** Converts bytes to a Buffer: lean documents contain MongoDB's binary type. */
const bytesOf = (stored: Buffer | { buffer: ArrayBufferLike }): Buffer =>
  Buffer.isBuffer(stored) ? stored : Buffer.from(stored.buffer)
