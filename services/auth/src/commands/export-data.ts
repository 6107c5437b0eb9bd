import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { DETAILS, LIMITS, type MailJob, paths, type ServiceName } from '@iodine/contracts'
import {
  conflict,
  HttpError,
  isDuplicateKey,
  joinPieces,
  notFound,
  tooManyRequests,
} from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { AuthContext } from '../context.js'
import type { DataExportDoc, ExportPart, ExportPieceDoc } from '../models/data-export.js'
import type { UserDoc } from '../models/user.js'
import { EXPORTED, readPart, writeExport } from '../queries/personal-data.js'
import { sendMailOnce } from './send-mail.js'

const [compress, decompress] = [promisify(gzip), promisify(gunzip)]
const DAY_MS = 24 * 3_600_000
/** Bytes of a piece before it is compressed. */
const PIECE_BYTES = 1_048_576
/** How long a service may take for its part; below the time that the workers give a step. */
const PART_MS = 240_000
/** Time that the workers have before the repair adds the job again. Adding an existing job has no effect. */
const RECHECK_MS = 15_000
const REPAIR_BATCH = 100

const addJob = ({ service }: AuthContext, export_id: Types.ObjectId) =>
  service.queues.add(
    'exports',
    { export_id: export_id.toHexString() },
    { jobId: `export-${export_id}`, removeOnComplete: true, removeOnFail: true },
  )

/** The user's latest export; null if there is none, or its day is over. */
export const findExport = ({ models }: AuthContext, userId: string) =>
  models.dataExports.findOne({ _id: userId, expires_at: { $gt: new Date() } }).lean<DataExportDoc>()

/**
 * Begins an export and removes the one before. Throws 409 while one is under way, and 429 for a user who has begun as
 * many as they may within a day.
 */
export const beginExport = async (context: AuthContext, userId: string): Promise<DataExportDoc> => {
  const { models, service } = context
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
    check_at: new Date(now + RECHECK_MS),
  }
  // Of concurrent requests one replaces the export that all have read, or creates the first.
  if (before) {
    const { matchedCount } = await models.dataExports.updateOne(
      { _id, export_id: before.export_id, state: before.state },
      { $set: fields },
    )
    if (matchedCount === 0) throw conflict(DETAILS.exportUnderWay)
    await models.exportPieces.deleteMany({ export_id: before.export_id })
  } else
    await models.dataExports.create({ _id, ...fields }).catch(error => {
      throw isDuplicateKey(error) ? conflict(DETAILS.exportUnderWay) : error
    })
  await addJob(context, fields.export_id).catch(error =>
    service.log.warn({ err: error }, 'export not queued yet'),
  )
  return { _id, ...fields }
}

/** Removes a user's export with its pieces. Idempotent. */
export const dropExport = async ({ models }: AuthContext, userId: Types.ObjectId): Promise<void> => {
  const doc = await models.dataExports.findById(userId).select('export_id').lean<DataExportDoc>()
  if (!doc) return
  await models.exportPieces.deleteMany({ export_id: doc.export_id })
  await models.dataExports.deleteOne({ _id: userId })
}

/**
 * Adds the part of the next service, or completes the export. Returns whether there is more to do. Throws 503 while that
 * service is down, which the export then waits for. May run more than once at a time.
 */
export const stepExport = async (context: AuthContext, id: string): Promise<boolean> => {
  const { models } = context
  const doc = await models.dataExports.findOne({ export_id: id, state: 'working' }).lean<DataExportDoc>()
  if (!doc) return false
  const next = EXPORTED.find(service => !doc.parts[service])
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

/** Stores what a service has of the user; null if the file would become too large. */
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
    { $set: { state: 'failed', waiting_for: null, expires_at }, $unset: { check_at: 1 } },
  )
  await models.exportPieces.deleteMany({ export_id })
}

/** Keeps the file for a day and mails its owner. */
const completeExport = async (context: AuthContext, doc: DataExportDoc): Promise<void> => {
  const { models, service } = context
  const { export_id, parts } = doc
  const expires_at = new Date(Date.now() + LIMITS.dataExportKeptMs)
  const attempts = Object.values(parts).map(({ attempt }) => attempt)
  await models.exportPieces.deleteMany({ export_id, attempt: { $nin: attempts } })
  await models.exportPieces.updateMany({ export_id }, { $set: { expires_at } })
  const check_at = new Date(Date.now() + RECHECK_MS)
  const ready = await models.dataExports
    .findOneAndUpdate(
      { export_id, state: 'working' },
      { $set: { state: 'ready', expires_at, check_at } },
      { returnDocument: 'after' },
    )
    .lean<DataExportDoc>()
  if (ready)
    await mailReady(context, ready).catch(error => service.log.warn({ err: error }, 'not mailed yet'))
}

/** Queues the mail that says that the file is ready. Until then the repair looks at the export. */
const mailReady = async (
  context: AuthContext,
  { _id, export_id, expires_at }: DataExportDoc,
): Promise<void> => {
  const { config, models } = context
  const user = await models.users.findOne({ _id, deleted_at: null }).select('email').lean<UserDoc>()
  if (!user) return dropExport(context, _id)
  const mail: MailJob = {
    template: 'data-export-ready',
    to: user.email,
    link: config.PUBLIC_URL + paths.profile(),
    expires_at: expires_at.toISOString(),
  }
  await sendMailOnce(context, `export-${export_id}`, mail, expires_at)
  await models.dataExports.updateOne({ export_id }, { $unset: { check_at: 1 } })
}

/** The file of a user's export, in pieces. Throws 404 unless it is theirs, ready, and its day is not over. */
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
  const services = EXPORTED.filter(service => parts[service])
  return { at, content: writeExport({ id: userId, at, services }, read) }
}

/** A document that was read as it is stored holds MongoDB's type for bytes. */
const bytesOf = (stored: Buffer | { buffer: ArrayBufferLike }): Buffer =>
  Buffer.isBuffer(stored) ? stored : Buffer.from(stored.buffer)

/** Queues exports again, as Redis may have lost their jobs, and mails that a crash kept back. Returns their number. */
export const repairExports = async (context: AuthContext): Promise<number> => {
  const { dataExports } = context.models
  const now = Date.now()
  const due = await dataExports
    .find({ check_at: { $lte: new Date(now) } })
    .sort({ check_at: 1 })
    .limit(REPAIR_BATCH)
    .lean<DataExportDoc[]>()
  for (const doc of due) {
    const { _id, export_id } = doc
    await dataExports.updateOne({ _id, export_id }, { $set: { check_at: new Date(now + RECHECK_MS) } })
    if (doc.state === 'working') await addJob(context, export_id)
    else await mailReady(context, doc)
  }
  return due.length
}
