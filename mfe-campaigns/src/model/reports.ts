import {
  type Confidence,
  DOI,
  isHttpUrl,
  type LeftOutReason,
  type LetInReason,
  REPORT_ALIASES_MAX,
  REPORT_TEXT_MAX,
  type ReportDraft,
  type ReportLanguage,
  type ReportLicence,
  type ReportPreview,
  type ReportSummary,
  type ReportVersionState,
} from '@iodine/contracts'
import { formatAmount } from '@iodine/ui'

export const CONFIDENCE_LABELS: Record<Confidence, string> = { low: 'Low', medium: 'Medium', high: 'High' }
export const LICENCE_LABELS: Record<ReportLicence, string> = {
  'CC-BY-4.0': 'CC BY 4.0',
  'CC-BY-SA-4.0': 'CC BY-SA 4.0',
  'CC0-1.0': 'CC0 1.0 (public domain)',
}
export const LANGUAGE_LABELS: Record<ReportLanguage, string> = { en: 'English', fr: 'Français' }
export const REASON_LABELS: Record<LetInReason, string> = {
  public_office: 'Holds a public office',
  asset: 'Asset of the operation',
  named_by_source: 'Named by a cited source',
}
export const VERSION_LABELS: Record<ReportVersionState, string> = {
  review: 'In review',
  published: 'Published',
  superseded: 'Superseded',
  withdrawn: 'Withdrawn',
  erased: 'Erased',
}
export const REVISION_TEXTS: Record<NonNullable<ReportSummary['revision']>, string> = {
  redaction: 'a quote of it was redacted or erased',
  level: 'the sharing level of something in it was raised',
  account: 'the account of a named author was deleted',
  deletion: 'its campaign was deleted',
}

/** A state as a tag. */
export interface StateTag {
  label: string
  intent: 'none' | 'primary' | 'success' | 'warning' | 'danger'
}

/** Returns the states of a report: of its published version, then of its draft. */
export function tagsOf(report: ReportSummary): StateTag[] {
  const { state, latest, withdrawn_at, revision, own } = report
  if (withdrawn_at) return [{ label: 'Withdrawn', intent: 'danger' }]
  const tags: StateTag[] = []
  if (revision) tags.push({ label: 'Under revision', intent: 'warning' })
  else if (latest !== null) tags.push({ label: `Published: version ${latest}`, intent: 'success' })
  if (state === 'making') tags.push({ label: 'Being prepared for review', intent: 'primary' })
  if (state === 'review') tags.push({ label: 'In review', intent: 'primary' })
  if (state === 'draft' && (latest === null || (own && tags.length === 0)))
    tags.push({ label: 'Draft', intent: 'none' })
  return tags
}

/** Returns the path of the public page, or of one version. */
export const pagePath = ({ slug }: Pick<ReportSummary, 'slug'>, version?: number): string =>
  version === undefined ? `/reports/${slug}` : `/reports/${slug}/v${version}`

const REASONS_LEFT_OUT: Record<LeftOutReason, string> = {
  personal: 'hold or name personal data that is not let in',
  level: 'have another level than TLP:CLEAR, or none',
  unshared: 'are from captures that are not sealed, or that you may not open',
  taken_out: 'were taken out by their authors',
  limit: 'exceed the limit of a report',
}
const KINDS = { iod: 'IOD', quote: 'quote', object: 'imported object' } as const

/** Returns a sentence for what is left out for one reason. */
export const leftOutText = ({ reason, kind, count }: ReportPreview['left_out'][number]): string =>
  `${formatAmount(count, KINDS[kind])}: ${REASONS_LEFT_OUT[reason]}`

/** Returns the number of characters as the service counts them. */
export const lengthOf = (text: string): number => [...text].length

/** Returns a draft as it is stored: without empty names and references, and with null for an empty DOI. */
export const tidyDraft = (draft: ReportDraft): ReportDraft => ({
  ...draft,
  aliases: draft.aliases.map(each => each.trim()).filter(Boolean),
  references: draft.references.filter(({ title, url }) => title.trim() !== '' || url.trim() !== ''),
  doi: draft.doi?.trim() || null,
})

/** Returns the fields that differ. */
export const changesOf = (saved: ReportDraft, draft: ReportDraft): Partial<ReportDraft> =>
  Object.fromEntries(
    Object.entries(draft).filter(
      ([name, value]) => JSON.stringify(saved[name as keyof ReportDraft]) !== JSON.stringify(value),
    ),
  )

/** Problems of fields, by their path: 'title', 'findings.0', 'references.1.url'. */
export type Problems = Readonly<Record<string, string>>

const isEmpty = (text: string) => text.trim() === ''

/** Returns why a draft cannot be stored. Empty names and references are no problem: they are not stored. */
export function problemsOf(draft: ReportDraft): Problems {
  const problems: Record<string, string> = {}
  const limit = (path: string, text: string, max: number, isRequired = false) => {
    if (lengthOf(text) > max) problems[path] = `At most ${max.toLocaleString('en-US')} characters`
    else if (isRequired && isEmpty(text)) problems[path] = 'Must not be empty'
  }
  limit('title', draft.title, REPORT_TEXT_MAX.title, true)
  limit('summary', draft.summary, REPORT_TEXT_MAX.summary)
  limit('unknown', draft.unknown, REPORT_TEXT_MAX.unknown)
  limit('method', draft.method, REPORT_TEXT_MAX.method)
  limit('change', draft.change, REPORT_TEXT_MAX.change)
  if (
    draft.aliases.length > REPORT_ALIASES_MAX ||
    draft.aliases.some(each => lengthOf(each) > REPORT_TEXT_MAX.alias)
  )
    problems.aliases = `At most ${REPORT_ALIASES_MAX} names of ${REPORT_TEXT_MAX.alias} characters`
  for (const [at, { text }] of draft.findings.entries())
    limit(`findings.${at}`, text, REPORT_TEXT_MAX.finding, true)
  for (const [at, { title, url }] of draft.references.entries()) {
    if (isEmpty(title) && isEmpty(url)) continue
    limit(`references.${at}.title`, title, REPORT_TEXT_MAX.reference, true)
    if (!isHttpUrl(url)) problems[`references.${at}.url`] = 'Must begin with https:// or http://'
  }
  if (draft.attribution) {
    limit('attribution.text', draft.attribution.text, REPORT_TEXT_MAX.attribution, true)
    limit('attribution.grounds', draft.attribution.grounds, REPORT_TEXT_MAX.grounds, true)
  }
  if (draft.doi?.trim() && !DOI.test(draft.doi.trim()))
    problems.doi = 'A DOI begins with 10., such as 10.5281/zenodo.1234'
  return problems
}

/** Returns what a draft lacks before it can be handed in. */
export function missingOf(draft: ReportDraft, isCorrection: boolean): string[] {
  const missing: [boolean, string][] = [
    [isEmpty(draft.summary), 'a summary'],
    [draft.findings.length === 0, 'at least one finding'],
    [isEmpty(draft.method), 'a method'],
    [isCorrection && isEmpty(draft.change), 'what this version corrects'],
  ]
  return missing.flatMap(([is, text]) => (is ? text : []))
}
