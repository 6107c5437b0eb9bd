import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { DETAILS, LIMITS, REPORT_FILES, reportSealsInternal } from '@iodine/contracts'
import { canonicalJson } from '@iodine/evidence'
import type { SelectedReport } from '@iodine/reports'
import { byId, HttpError, type KindSpec } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { Store } from '../../models.js'
import type { ReportDoc, ReportVersionDoc } from '../models/report.js'
import { type ReportContext, readSources } from '../queries/sources.js'
import { type RenderedFile, renderInThread } from '../thread/render.js'

const SIGN_MS = 5_000
const MANIFEST = 'manifest.json'

interface FreezeContext extends ReportContext {
  store: Store
}

/** Error: the report was changed meanwhile; the change has another entry. */
class Superseded extends Error {}

/** Returns a report that is being made to its author, with the reason. */
const returnToDraft = async (
  { reports }: Store,
  { _id, asked }: ReportDoc,
  problem: string,
): Promise<void> => {
  await reports.updateOne(
    { _id, asked, state: 'making' },
    { $set: { state: 'draft', problem, handed_in_at: null }, $inc: { asked: 1 } },
  )
}

/** Returns the users other than the author whose content the published version lacks. */
const findQuoted = async ({ reportVersions }: Store, report: ReportDoc, { sources }: SelectedReport) => {
  const before = await reportVersions
    .findOne({ report_id: report._id, n: report.latest ?? 0 }, { sources: 1 })
    .lean<Pick<ReportVersionDoc, 'sources'>>()
  const known = new Set([...(before?.sources.iods ?? []), ...(before?.sources.evidence ?? [])])
  const author = report.user_id?.toHexString()
  const quoted = sources.owned.filter(({ id, user }) => user !== author && !known.has(id))
  return [...new Set(quoted.map(({ user }) => user))]
}

/** Returns the signature of a manifest, with its entry in the log of seals, as a file. */
const signatureFile = async ({ peers }: ReportContext, manifest: RenderedFile): Promise<RenderedFile> => {
  const seal = await peers.call('collector', reportSealsInternal.sealReport, {
    body: new Uint8Array(manifest.bytes),
    ms: SIGN_MS,
  })
  const bytes = Buffer.from(`${canonicalJson(seal)}\n`)
  return {
    name: 'manifest.json.sig',
    type: REPORT_FILES['manifest.json.sig'],
    bytes,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    gzip: gzipSync(bytes),
  }
}

/** Stores a version with all its files, in one transaction: all of them or none. */
const storeVersion = async (
  { store }: FreezeContext,
  report: ReportDoc,
  selected: SelectedReport,
  files: readonly RenderedFile[],
  frozen: readonly string[],
): Promise<void> => {
  const { reports, reportVersions, reportFiles, quotas } = store
  const { content, left_out, held_back, sources } = selected
  const bytes = files.reduce((sum, { gzip }) => sum + gzip.length, 0)
  const made_at = new Date(content.made_at)
  const quoted = await findQuoted(store, report, selected)
  const until = new Date((report.handed_in_at ?? made_at).getTime() + LIMITS.reportObjectionMs)
  const version: ReportVersionDoc = {
    _id: new Types.ObjectId(),
    report_id: report._id,
    user_id: report.user_id,
    n: content.n,
    state: 'review',
    content,
    sha256: files.find(({ name }) => name === MANIFEST)?.sha256 ?? '',
    change: content.change,
    sources,
    stale: false,
    left_out,
    held_back,
    bytes,
    made_at,
    approvable_at: quoted.length > 0 ? until : made_at,
    approved_by: null,
    published_at: null,
    law: null,
  }
  await quotas.change(report.user_id as Types.ObjectId, { published_bytes: bytes }, async session => {
    const { _id, asked } = report
    const { matchedCount } = await reports.updateOne(
      { _id, asked, state: 'making' },
      { $set: { state: 'review', problem: null, frozen: [...frozen] }, $inc: { asked: 1 } },
      { session },
    )
    if (matchedCount === 0) throw new Superseded()
    await reportVersions.insertMany([version], { session, lean: true })
    const docs = files.map(({ name, type, sha256, gzip, bytes: { length } }) => ({
      ...{ _id: new Types.ObjectId(), version_id: version._id },
      ...{ name, type, sha256, bytes: length, gzip: Buffer.from(gzip) },
    }))
    await reportFiles.insertMany(docs, { session, lean: true })
    // Files that are made again contain nothing that its users were not notified of.
    for (let at = 0; !report.frozen && at < quoted.length; at += LIMITS.notificationEvents) {
      const some = quoted.slice(at, at + LIMITS.notificationEvents)
      await store.work.quotes.add({ id: version._id.toHexString(), users: some }, { session })
    }
  })
}

/** Makes the files of a report that was handed in, from one reading of its campaign. */
const freeze = async (context: FreezeContext, report: ReportDoc): Promise<void> => {
  const sources = await readSources(context, report)
  const { selected, files } = await renderInThread(sources)
  const { unfounded } = selected
  if (unfounded.length > 0) {
    const findings = unfounded.join(', ')
    await returnToDraft(context.store, report, `Findings ${findings} name evidence that cannot be published`)
    return
  }
  const manifest = files.find(({ name }) => name === MANIFEST) as RenderedFile
  const signed = [...files, await signatureFile(context, manifest)]
  const frozen = report.frozen ?? [...sources.iods, ...sources.evidence].map(({ id }) => id)
  await storeVersion(context, report, selected, signed, frozen)
}

/** Returns the outbox kind that makes the files of reports. Its key is the report's id. */
export const reportWork = (of: () => FreezeContext): KindSpec<{ id: string }> => ({
  ...byId,
  isHeavy: true,
  concurrency: 2,
  async handle([entry]) {
    const context = of()
    const report = await context.store.reports
      .findOne({ _id: entry?.id, state: 'making' })
      .select('+frozen')
      .lean<ReportDoc>()
    if (!report) return
    try {
      await freeze(context, report)
    } catch (error) {
      if (error instanceof Superseded) return
      const isFinal = error instanceof HttpError && error.status < 500 && error.status !== 429
      const isTooLarge = error instanceof RangeError || (error as { name?: string }).name === 'RangeError'
      if (!isFinal && !isTooLarge) throw error
      const detail = error instanceof HttpError ? String(error.detail) : (error as Error).message
      await returnToDraft(context.store, report, detail || DETAILS.badRequest)
    }
  },
})
