import { z } from 'zod'
import { type EndpointSpec, endpoint, internalEndpoint, type PageEndpoint, routed } from './endpoint.js'
import { sha256 } from './evidence.js'
import { LIMITS } from './limits.js'
import { done, filledText, id, text, time } from './primitives.js'
import { LEFT_OUT_REASONS, LET_IN_REASONS, REPORT_TEXT_MAX } from './report-choices.js'
import { reportDraft, reportSeal } from './report-content.js'
import { CATEGORIES } from './vocabulary.js'

export * from './report-content.js'

/** `making`: the files are being made. */
export const REPORT_STATES = ['draft', 'making', 'review'] as const
export type ReportState = (typeof REPORT_STATES)[number]
export const REPORT_VERSION_STATES = ['review', 'published', 'superseded', 'withdrawn', 'erased'] as const
export type ReportVersionState = (typeof REPORT_VERSION_STATES)[number]
/** Why a published page is hidden until a new version, or until an administrator lets it stand. */
export const REVISION_REASONS = ['redaction', 'level', 'account', 'deletion'] as const

const version = z.strictObject({
  n: z.int(),
  state: z.enum(REPORT_VERSION_STATES),
  /** SHA-256 of its manifest: what is approved. */
  sha256,
  change: z.string(),
  made_at: time,
  published_at: time.nullable(),
})
export type ReportVersion = z.output<typeof version>

export const reportSummary = z.strictObject({
  id,
  campaign_id: id.nullable(),
  slug: z.string(),
  title: z.string(),
  /** State of the draft or of the version that is being made or reviewed. */
  state: z.enum(REPORT_STATES),
  /** Number of the latest published version; null before the first. */
  latest: z.int().nullable(),
  withdrawn_at: time.nullable(),
  revision: z.enum(REVISION_REASONS).nullable(),
  own: z.boolean(),
})
export type ReportSummary = z.output<typeof reportSummary>

const leftOut = z.strictObject({
  reason: z.enum(LEFT_OUT_REASONS),
  kind: z.enum(['iod', 'quote', 'object']),
  count: z.int(),
})
/** A value that looks like personal data, and the decision on it. */
const heldBack = z.strictObject({
  iod_id: id,
  value: z.string(),
  category: z.enum(CATEGORIES),
  let_in: z.boolean(),
  reason: z.enum(LET_IN_REASONS).nullable(),
})
export type HeldBack = z.output<typeof heldBack>

export const reportDetail = reportSummary.extend({
  draft: reportDraft,
  /** Reason why the latest making failed, or why a reviewer refused; null without one. */
  problem: z.string().nullable(),
  /** Earliest approval of the version in review; null if none is. */
  approvable_at: time.nullable(),
  versions: z.array(version),
  replies: z.array(z.strictObject({ id, from: z.string(), text: z.string(), at: time })),
  withdrawn_reason: z.string().nullable(),
})
export type ReportDetail = z.output<typeof reportDetail>

export const reportPreview = z.strictObject({
  /** The page as it would be. */
  html: z.string(),
  left_out: z.array(leftOut),
  held_back: z.array(heldBack),
})
export type ReportPreview = z.output<typeof reportPreview>

/** Evidence of a campaign, as a finding may rest on it. */
export const citableQuote = z.strictObject({
  id,
  /** Value of its IOD. */
  value: z.string(),
  exact: z.string(),
  url: z.string().nullable(),
  captured_at: time.nullable(),
  /** Whether a report may quote it: it is sealed, and the caller may open its capture. */
  citable: z.boolean(),
})
export type CitableQuote = z.output<typeof citableQuote>

const params = z.strictObject({ id })

/** Reports of campaigns; they are read in public by `reportPages`. */
export const reportsApi = {
  listReports: endpoint('user', 'GET /campaigns/:id/reports', {
    scopes: ['read'],
    summary: 'Reports of a campaign: the published ones, and the caller’s drafts',
    params,
    response: z.array(reportSummary),
  }),
  createReport: endpoint('user', 'POST /campaigns/:id/reports', {
    scopes: ['contribute'],
    summary: `Create a draft of a report. 403 for another user’s campaign, 409 unless the campaign is TLP:CLEAR, or while reports are off, 413 with ${LIMITS.reportDraftsMax} drafts`,
    params,
    response: z.strictObject({ id }),
    status: 201,
  }),
  listReviews: endpoint('user', 'GET /reports/reviews', {
    summary: 'Reports that wait for review, oldest first; only for administrators',
    response: z.array(reportSummary),
  }),
  listQuoted: endpoint('user', 'GET /reports/quoted', {
    scopes: ['read'],
    summary:
      'Reports in review that quote evidence or IODs of the caller, and until when they can be taken out; `texts`: the beginnings of the first 20',
    response: z.array(reportSummary.extend({ until: time, items: z.int(), texts: z.array(z.string()) })),
  }),
  getReport: endpoint('user', 'GET /reports/:id', {
    scopes: ['read'],
    summary: 'An own report, or one in review for an administrator',
    params,
    response: reportDetail,
  }),
  editReport: endpoint('user', 'PATCH /reports/:id', {
    scopes: ['contribute'],
    summary: 'Change an own draft; 409 in review',
    params,
    body: reportDraft.partial(),
    response: reportDetail,
  }),
  deleteReport: endpoint('user', 'DELETE /reports/:id', {
    summary: 'Delete an own report that was never published; 409 if it was',
    params,
    response: done,
  }),
  previewReport: endpoint('user', 'GET /reports/:id/preview', {
    scopes: ['read'],
    summary:
      'The page that a draft would become, with what is left out and why; also in the header `X-Withheld`: `iod-personal=3`. 503 while its IODs are unavailable',
    params,
    response: reportPreview,
    waits: true,
  }),
  listCitable: endpoint('user', 'GET /reports/:id/citable', {
    scopes: ['read'],
    summary: `Evidence that the findings of an own report may rest on, at most ${LIMITS.exportedEvidenceMax} pieces. 503 while its IODs are unavailable`,
    params,
    response: z.array(citableQuote),
    waits: true,
  }),
  decideReport: endpoint('user', 'PUT /reports/:id/decisions/:iod_id', {
    summary: 'Let personal data into an own report, with a reason, or hold it back',
    params: params.extend({ iod_id: id }),
    body: z
      .strictObject({ let_in: z.boolean(), reason: z.enum(LET_IN_REASONS).nullable().default(null) })
      .refine(({ let_in, reason }) => !let_in || reason !== null, {
        path: ['reason'],
        error: 'must be given',
      }),
    response: done,
  }),
  handInReport: endpoint('user', 'POST /reports/:id/review', {
    summary: 'Hand a draft in for review: its files are made, then wait. 409 if it is not complete',
    params,
    response: done,
    status: 202,
  }),
  getReviewPage: endpoint('user', 'GET /reports/:id/review', {
    summary:
      'The page in review, its decisions, and the hash that an approval names; for its author and administrators',
    params,
    response: reportPreview.extend({
      n: z.int(),
      sha256,
      approvable_at: time,
      /** Markdown of this version and of the published one, for a comparison. */
      text: z.string(),
      previous: z.string().nullable(),
    }),
  }),
  approveReport: endpoint('user', 'POST /reports/:id/approve', {
    summary:
      'Publish the version in review: by another administrator who signed in with a passkey. 403 for the author, 409 for other bytes or before the time at which it can be approved',
    params,
    body: z.strictObject({
      sha256,
      /** Accepts the authors’ own attribution. */
      attribution: z.boolean().default(false),
    }),
    response: reportDetail,
  }),
  refuseReport: endpoint('user', 'POST /reports/:id/refuse', {
    summary: 'Return the version in review to its author; only for administrators',
    params,
    body: z.strictObject({ why: filledText(REPORT_TEXT_MAX.reason) }),
    response: done,
  }),
  withdrawReport: endpoint('user', 'POST /reports/:id/withdraw', {
    summary: 'Withdraw a report at once and for good; for its author and administrators',
    params,
    body: z.strictObject({ reason: filledText(REPORT_TEXT_MAX.reason) }),
    response: reportDetail,
  }),
  eraseReport: endpoint('user', 'POST /reports/:id/erase', {
    summary: 'Delete the content of a version for legal reasons; only for administrators',
    params,
    body: z.strictObject({ n: z.int().min(1), law: filledText(REPORT_TEXT_MAX.law) }),
    response: reportDetail,
  }),
  replyToReport: endpoint('user', 'POST /reports/:id/replies', {
    summary: 'Show a reply of a person or body that a report names; only for administrators',
    params,
    body: z.strictObject({
      from: filledText(REPORT_TEXT_MAX.replyFrom),
      text: filledText(REPORT_TEXT_MAX.reply),
    }),
    response: reportDetail,
    status: 201,
  }),
  standReport: endpoint('user', 'POST /reports/:id/stand', {
    summary: 'Show a report that is under revision again, unchanged; only for administrators',
    params,
    response: reportDetail,
  }),
  takeOut: endpoint('user', 'POST /reports/:id/take-out', {
    summary: 'Take the caller’s evidence and IODs out of a report in review; its files are made again',
    params,
    response: z.strictObject({ taken_out: z.int() }),
  }),
} as const

const page = <R extends `GET /${string}`, const S extends Pick<EndpointSpec, 'summary' | 'params' | 'query'>>(
  route: R,
  spec: S,
) =>
  ({
    ...spec,
    ...routed(route),
    form: 'page',
    response: z.unknown(),
    conditional: true,
  }) as const satisfies PageEndpoint

const slug = z.object({ slug: text(100) })
const numbered = slug.extend({ version: text(20) })

/** Public pages and files of reports, outside `API_BASE`, which need no session. */
export const reportPages = {
  listPublished: page('GET /reports', { summary: 'Published reports that may be listed' }),
  getReportFeed: page('GET /reports/feed.xml', { summary: 'The same as an Atom feed (RFC 4287)' }),
  getStyle: page('GET /reports/style.css', { summary: 'Style sheet of the pages' }),
  getLatest: page('GET /reports/:slug', { summary: 'The latest version of a report', params: slug }),
  getVersion: page('GET /reports/:slug/:version', {
    summary: 'A version of a report: `v1`',
    params: numbered,
  }),
  getFile: page('GET /reports/:slug/:version/:file', {
    summary: 'A file beside a version',
    params: numbered.extend({ file: text(100) }),
  }),
} as const
/** oEmbed (oembed.com) of published reports. */
export const oembedPages = {
  getEmbed: page('GET /oembed', {
    summary: 'Title and address of a report for other sites, type `link`',
    query: z.object({ url: text(LIMITS.addressMax).optional(), format: text(20).optional() }),
  }),
} as const

/** Served by the service with the key of the seals. */
export const reportSealsInternal = {
  sealReport: internalEndpoint('POST /internal/seals/reports', {
    summary:
      'Signs the bytes of a report’s manifest, after `REPORT_MANIFEST_CONTEXT`, and appends their hash to the log of seals. The key is published before. Each call appends an entry',
    raw: true,
    bodyLimit: 65_536,
    response: reportSeal,
  }),
} as const
