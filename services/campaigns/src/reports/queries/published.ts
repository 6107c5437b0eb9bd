import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { PageErrorStatus } from '@iodine/reports'
import { createSharedReads } from '@iodine/service-kit'
import { LRUCache } from 'lru-cache'
import type { ClientSession } from 'mongoose'
import type { CampaignModels } from '../../models.js'
import { type ReportDoc, type ReportFileDoc, type ReportVersionDoc, SHOWN } from '../models/report.js'

/** Error: a page that is answered by an error page. */
export class PageError extends Error {
  readonly status: PageErrorStatus
  readonly lines: readonly string[]
  readonly text: string
  constructor(status: PageErrorStatus, text = '', lines: readonly string[] = []) {
    super(String(status))
    this.status = status
    this.text = text
    this.lines = lines
  }
}

/** Readers need no draft, whose size would slow each request. */
const PUBLIC = { draft: 0, taken_out: 0 } as const

/** Returns a published report by its address. Throws PageError 404, 410 for a withdrawn one, 503 under revision. */
export const findPublished = async (
  { reports, reportVersions }: CampaignModels,
  slug: string,
): Promise<ReportDoc> => {
  const doc = /^[a-z2-7]{16}$/.test(slug) ? await reports.findOne({ slug }, PUBLIC).lean<ReportDoc>() : null
  if (!doc || doc.latest === null) throw new PageError(404)
  if (doc.withdrawn) {
    const { at, reason } = doc.withdrawn
    const last = await reportVersions
      .findOne({ report_id: doc._id, n: doc.latest }, { 'content.title': 1 })
      .lean<ReportVersionDoc>()
    throw new PageError(410, reason, [
      last?.content?.title ?? '',
      `Published ${doc.first_at?.toISOString().slice(0, 10)}, withdrawn ${at.toISOString().slice(0, 10)}.`,
      ...doc.replies.map(({ from, text }) => `Reply of ${from}: ${text}`),
    ])
  }
  if (doc.revision) throw new PageError(503, 'This report is under revision.')
  return doc
}

/** A published file. */
export interface PublishedFile extends Pick<ReportFileDoc, 'type' | 'sha256' | 'gzip'> {
  /** Whether search engines may list it. */
  isListed: boolean
  slug: string
  n: number
}

/**
 * Returns a version of a published report.
 * @param version `v1`; default: the latest
 * @throws PageError 404, 451 for an erased version
 */
export const findVersion = async (
  { reportVersions }: CampaignModels,
  report: ReportDoc,
  version?: string,
): Promise<ReportVersionDoc> => {
  const [, digits] = /^v([1-9]\d{0,2})$/.exec(version ?? `v${report.latest}`) ?? []
  if (!digits) throw new PageError(404)
  const doc = await reportVersions
    .findOne({ report_id: report._id, n: Number(digits) }, { n: 1, state: 1, made_at: 1, 'content.title': 1 })
    .lean<ReportVersionDoc>()
  if (doc?.state === 'erased')
    throw new PageError(451, '', [`Version ${doc.n}, ${doc.made_at.toISOString().slice(0, 10)}.`])
  if (doc?.state !== 'published' && doc?.state !== 'superseded') throw new PageError(404)
  return doc
}

/** Memory for the compressed files of pages that were read. */
const CACHE_BYTES = 32 * 1024 * 1024

/**
 * Creates the reader of the files of published versions, and of their pages. Files are cached for the revision of the
 * report's pages: each call reads the report.
 * @returns a function that throws PageError 404, 410, 451 for an erased version, 503
 */
export const createFileReader = (models: CampaignModels) => {
  const cache = new LRUCache<string, PublishedFile>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ gzip }) => gzip.length + 1_000,
  })
  const shared = createSharedReads<string, PublishedFile>()
  const read = async (report: ReportDoc, version?: string, file?: string): Promise<PublishedFile> => {
    const { _id, n } = await findVersion(models, report, version)
    if (file === SHOWN) throw new PageError(404)
    const found = await models.reportFiles
      .findOne({ version_id: _id, name: file ?? SHOWN })
      .lean<ReportFileDoc>()
    if (!found) throw new PageError(404)
    const { type, sha256, gzip } = found
    const isListed = report.listed === true && version === undefined
    return { type, sha256, gzip: bufferOf(gzip), isListed, slug: report.slug, n }
  }
  return ({ slug, version, file }: { slug: string; version?: string; file?: string }) =>
    // Concurrent readers of a page share one reading of the database.
    shared(JSON.stringify([slug, version, file]), async () => {
      const report = await findPublished(models, slug)
      const key = JSON.stringify([report.pages_revision, slug, version, file])
      const known = cache.get(key)
      if (known) return known
      const found = await read(report, version, file)
      cache.set(key, found)
      return found
    })
}

/** Returns the stored bytes, which a lean read returns as the driver's type. */
const bufferOf = (stored: Buffer | { buffer: Uint8Array }): Buffer =>
  Buffer.isBuffer(stored) ? stored : Buffer.from(stored.buffer)

const decompress = promisify(gunzip)

/** Returns a stored file of a version, as text; null without it. */
export const readText = async (
  { reportFiles }: Pick<CampaignModels, 'reportFiles'>,
  version: Pick<ReportVersionDoc, '_id'> | null,
  name: string,
  session: ClientSession | null = null,
): Promise<string | null> => {
  const doc =
    version &&
    (await reportFiles.findOne({ version_id: version._id, name }).session(session).lean<ReportFileDoc>())
  return doc ? (await decompress(bufferOf(doc.gzip))).toString() : null
}

/** Returns the reports that may be listed, latest first. */
export const listPublished = async ({ reports, reportVersions }: CampaignModels) => {
  const docs = await reports
    .find({ listed: true, latest: { $ne: null }, withdrawn: null, revision: null })
    .sort({ published_at: -1 })
    .limit(100)
    .lean<ReportDoc[]>()
  const versions = await reportVersions
    .find(
      { state: 'published', report_id: { $in: docs.map(({ _id }) => _id) } },
      { report_id: 1, n: 1, 'content.title': 1, 'content.summary': 1 },
    )
    .lean<ReportVersionDoc[]>()
  const byReport = new Map(versions.map(each => [String(each.report_id), each]))
  return docs.flatMap(({ _id, slug, first_at, published_at }) => {
    const version = byReport.get(String(_id))
    if (!version?.content || !first_at || !published_at) return []
    const { title, summary } = version.content
    const times = { first_at: first_at.toISOString(), published_at: published_at.toISOString() }
    return [{ slug, title, summary, n: version.n, ...times }]
  })
}
