// Values of reports that browsers use: a module without zod.

/** How sure a finding is (STIX 2.1, appendix A). */
export const CONFIDENCES = ['low', 'medium', 'high'] as const
export type Confidence = (typeof CONFIDENCES)[number]

/** Licences of a report's text and data, by their SPDX names. */
export const REPORT_LICENCES = ['CC-BY-4.0', 'CC-BY-SA-4.0', 'CC0-1.0'] as const
export type ReportLicence = (typeof REPORT_LICENCES)[number]

/** Why personal data may be published. */
export const LET_IN_REASONS = ['public_office', 'asset', 'named_by_source'] as const
export type LetInReason = (typeof LET_IN_REASONS)[number]

/** Why content of a campaign is left out of its report. */
export const LEFT_OUT_REASONS = ['personal', 'level', 'unshared', 'taken_out', 'limit'] as const
export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number]

export const REPORT_LANGUAGES = ['en', 'fr'] as const
export type ReportLanguage = (typeof REPORT_LANGUAGES)[number]

/** `others`: the cited sources attribute the campaign; `ours`: its authors do. */
export const ATTRIBUTION_SIDES = ['others', 'ours'] as const

/** Prefix of the signed bytes of a manifest, so that no other signature is valid for one. */
export const REPORT_MANIFEST_CONTEXT = 'iodine report manifest\n'

/** Maximum lengths of the texts about a report, in characters. */
export const REPORT_TEXT_MAX = {
  title: 300,
  alias: 200,
  summary: 1_500,
  finding: 2_000,
  unknown: 5_000,
  method: 5_000,
  reference: 500,
  attribution: 2_000,
  grounds: 5_000,
  change: 2_000,
  /** Of a refusal or a withdrawal. */
  reason: 2_000,
  law: 500,
  replyFrom: 200,
  reply: 5_000,
} as const
export const REPORT_ALIASES_MAX = 20
export const REPORT_REFERENCES_MAX = 100

/** Matches a DOI. */
export const DOI = /^10\.\d{4,9}\/[\w.;()/:-]{1,200}$/
