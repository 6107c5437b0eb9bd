import { z } from 'zod'
import { checkpoint, inclusionProof, seal, sha256 } from './evidence.js'
import { LIMITS } from './limits.js'
import { filledText, id, text, time } from './primitives.js'
import {
  ATTRIBUTION_SIDES,
  CONFIDENCES,
  DOI,
  REPORT_TEXT_MAX as MAX,
  REPORT_ALIASES_MAX,
  REPORT_LANGUAGES,
  REPORT_LICENCES,
  REPORT_REFERENCES_MAX,
} from './report-choices.js'
import { CATEGORIES, isHttpUrl } from './vocabulary.js'

export * from './report-choices.js'

const confidence = z.enum(CONFIDENCES)
const address = text(LIMITS.addressMax).refine(isHttpUrl, 'must be an http(s) URL')

export const reportReference = z.strictObject({ title: filledText(MAX.reference), url: address })
export type ReportReference = z.output<typeof reportReference>

export const reportAttribution = z.strictObject({
  by: z.enum(ATTRIBUTION_SIDES),
  /** To whom, and on which grounds. */
  text: filledText(MAX.attribution),
  grounds: filledText(MAX.grounds),
})

/** What an author types. Evidence ids of findings become numbers of exhibits. */
export const reportDraft = z.strictObject({
  language: z.enum(REPORT_LANGUAGES),
  title: filledText(MAX.title),
  aliases: z.array(filledText(MAX.alias)).max(REPORT_ALIASES_MAX),
  summary: text(MAX.summary),
  findings: z
    .array(
      z.strictObject({
        text: filledText(MAX.finding),
        confidence,
        evidence_ids: z.array(id).max(20),
      }),
    )
    .max(LIMITS.reportFindingsMax),
  /** What is not known. */
  unknown: text(MAX.unknown),
  method: text(MAX.method),
  references: z.array(reportReference).max(REPORT_REFERENCES_MAX),
  attribution: reportAttribution.nullable(),
  licence: z.enum(REPORT_LICENCES),
  doi: z.string().regex(DOI, 'must be a DOI').nullable(),
  /** Whether the author's username is on the page; else the team's name. */
  signed: z.boolean(),
  /** Whether search engines may list the page. */
  listed: z.boolean(),
  /** Of a correction: what was wrong, what it says now, since when. */
  change: text(MAX.change),
})
export type ReportDraft = z.output<typeof reportDraft>

/** A piece of evidence on the page: a quote of a capture. */
export const reportExhibit = z.strictObject({
  /** E1, E2 … */
  n: z.int().min(1),
  quote: z.string(),
  url: z.string(),
  /** A day for a capture that is not shared, else a time. */
  captured_at: z.string(),
  /** Name and version of the software; null for a capture that is not shared. */
  collector: z.string().nullable(),
  /** Hash of the capture's manifest. */
  manifest_hash: sha256,
  /** Number in the log of seals; null for a capture that is not shared. */
  seq: z.int().nullable(),
})
export type ReportExhibit = z.output<typeof reportExhibit>

/** An IOD in the annex. */
export const reportIndicator = z.strictObject({
  /** UUID of its STIX object. */
  uid: z.string(),
  value: z.string(),
  category: z.enum(CATEGORIES),
  description: z.string(),
  first_seen: time,
  last_seen: time,
  /** Numbers of the exhibits that quote it. */
  exhibits: z.array(z.int()),
  votes: z.strictObject({ for: z.int(), against: z.int() }),
})
export type ReportIndicator = z.output<typeof reportIndicator>

/** Content of a published version: page and files are rendered from it alone. */
export const reportContent = z.strictObject({
  v: z.literal(1),
  /** Address of the version, `{site}/reports/{slug}/v{n}`. */
  url: z.string(),
  slug: z.string(),
  n: z.int().min(1),
  /** Time of the freeze. */
  made_at: time,
  first_at: time.nullable(),
  site: z.strictObject({ name: z.string(), url: z.string(), contact: z.string(), legal_notice: z.string() }),
  language: z.enum(REPORT_LANGUAGES),
  title: z.string(),
  aliases: z.array(z.string()),
  authors: z.array(z.string()),
  licence: z.enum(REPORT_LICENCES),
  doi: z.string().nullable(),
  listed: z.boolean(),
  change: z.string(),
  summary: z.string(),
  findings: z.array(z.strictObject({ text: z.string(), confidence, exhibits: z.array(z.int()) })),
  unknown: z.string(),
  method: z.string(),
  attribution: reportAttribution.nullable(),
  references: z.array(reportReference),
  exhibits: z.array(reportExhibit),
  indicators: z.array(reportIndicator),
  /** Indicators that are left out, by category: counted, not named. */
  held_back: z.array(z.strictObject({ category: z.enum(CATEGORIES), count: z.int() })),
  techniques: z.array(
    z.strictObject({
      id: z.string(),
      /** Numbers of exhibits whose evidence the technique rests on. */
      exhibits: z.array(z.int()),
      /** Number of its quotes, with those that are not published. */
      quotes: z.int(),
    }),
  ),
  /** Version of DISARM's list. */
  disarm: z.string(),
})
export type ReportContent = z.output<typeof reportContent>

/** What changes on the page of a version after its approval. */
export const reportNotices = z.strictObject({
  /** Number of the latest version, if another. */
  latest: z.int().nullable(),
  replies: z.array(z.strictObject({ from: z.string(), text: z.string(), at: time })),
})
export type ReportNotices = z.output<typeof reportNotices>

/** Files beside the page of a version, in the order of the manifest, with their media types. */
export const REPORT_FILES = {
  'report.json': 'application/json',
  'report.stix.json': 'application/stix+json;version=2.1',
  'report.misp.json': 'application/json',
  'indicators.csv': 'text/csv; charset=utf-8',
  'report.md': 'text/markdown; charset=utf-8',
  'matrix.svg': 'image/svg+xml',
  'cite.bib': 'application/x-bibtex; charset=utf-8',
  'cite.ris': 'application/x-research-info-systems; charset=utf-8',
  'cite.cff': 'application/yaml; charset=utf-8',
  'cite.json': 'application/vnd.citationstyles.csl+json',
  'page.html': 'text/html; charset=utf-8',
  'manifest.json': 'application/json',
  'manifest.json.sig': 'application/json',
} as const
export type ReportFileName = keyof typeof REPORT_FILES

/** Hashes of the files of a version. Its own SHA-256 is what a reviewer approves. */
export const reportManifest = z.strictObject({
  v: z.literal(1),
  report: z.string(),
  n: z.int().min(1),
  files: z.array(z.strictObject({ name: z.string(), bytes: z.int(), sha256 })),
})
export type ReportManifest = z.output<typeof reportManifest>

/** Content of `manifest.json.sig`, canonical JSON (RFC 8785): the signature of a manifest and its entry in the log of seals. */
export const reportSeal = z.strictObject({
  v: z.literal(1),
  key_id: z.string(),
  /** SubjectPublicKeyInfo in PEM. */
  public_key: z.string(),
  /** Ed25519 over `REPORT_MANIFEST_CONTEXT` and the bytes of the manifest, base64url. */
  sig: z.string(),
  /** `manifest_hash`: SHA-256 of the bytes of the manifest. */
  seal,
  proof: inclusionProof,
  checkpoint: checkpoint.omit({ anchors: true }),
})
export type ReportSeal = z.output<typeof reportSeal>
