import {
  authInternal,
  type CitableQuote,
  capturesInternal,
  DETAILS,
  type Evidence,
  type Iod,
  LIMITS,
  PRODUCT_NAME,
} from '@iodine/contracts'
import { VERSION } from '@iodine/exchange/disarm'
import { isCitable, type ReportSources } from '@iodine/reports'
import { HttpError, type Peers, type UserDirectory } from '@iodine/service-kit'
import type { CampaignDoc } from '../../campaigns/models/campaign.js'
import { fetchIods, findCampaign } from '../../campaigns/queries/campaign-detail.js'
import { readEvidence } from '../../campaigns/queries/campaign-evidence.js'
import { readLevels } from '../../campaigns/queries/sharing.js'
import { fetchStatements } from '../../exports/queries/campaign-statements.js'
import type { CampaignModels } from '../../models.js'
import type { TechniqueQuoteDoc } from '../../techniques/models/technique-quote.js'
import type { ReportDecisionDoc, ReportDoc } from '../models/report.js'
import type { ReportSite } from '../policies/site.js'

export interface ReportContext {
  store: CampaignModels
  peers: Peers
  users: UserDirectory
  site: ReportSite
}

/** Throws 409 unless the campaign is TLP:CLEAR. */
export const requireClear = async (models: CampaignModels, campaignId: string): Promise<void> => {
  const { tlp, least } = await readLevels(models, campaignId)
  if (least !== 'clear') throw new HttpError(409, DETAILS.reportTlpTooLow)
  if (tlp !== 'clear') throw new HttpError(409, DETAILS.reportNotClear)
}

/** Ids of one request. */
const IDS = 5_000

/** Returns the users who allow quotes among those who made these IODs. */
const readQuotable = async (peers: Peers, iods: readonly Iod[]): Promise<Set<string>> => {
  const makers = [...new Set(iods.flatMap(each => each.created_by_id ?? []))]
  const found = new Set<string>()
  for (let at = 0; at < makers.length; at += IDS) {
    const body = { ids: makers.slice(at, at + IDS) }
    for (const id of await peers.call('auth', authInternal.findQuotable, { body })) found.add(id)
  }
  return found
}

/** Returns the ids of the evidence that findings and techniques rest on. */
const citedBy = ({ draft }: ReportDoc, quotes: readonly Pick<TechniqueQuoteDoc, 'source'>[]): Set<string> =>
  new Set([
    ...draft.findings.flatMap(({ evidence_ids }) => evidence_ids),
    ...quotes.flatMap(({ source }) => (source.kind === 'evidence' ? String(source.id) : [])),
  ])

/** Returns the software of the shared captures of cited evidence, by the capture's id. */
const readCollectors = async (peers: Peers, evidence: readonly Evidence[]): Promise<Map<string, string>> => {
  const shared = evidence.filter(each => each.shared)
  const all = [...new Set(shared.flatMap(({ capture_id }) => capture_id ?? []))]
  if (all.length === 0) return new Map()
  const body = { ids: all.slice(0, IDS) }
  const found = await peers.call('collector', capturesInternal.getCollectors, { body })
  return new Map(found.map(({ id, collector }) => [id, collector]))
}

/** Reads the evidence of a campaign's IODs as a user sees it, up to the maximum of a file. */
const readAllEvidence = async (peers: Peers, doc: CampaignDoc, userId: string): Promise<Evidence[]> => {
  const evidence: Evidence[] = []
  for await (const each of readEvidence(peers, doc, userId, LIMITS.exportedEvidenceMax)) evidence.push(each)
  return evidence
}

/** Reads the evidence that findings of a report may rest on. Throws 404 without its campaign, 503. */
export const readCitable = async (
  { store, peers }: Pick<ReportContext, 'store' | 'peers'>,
  report: ReportDoc,
  userId: string,
): Promise<CitableQuote[]> => {
  const doc = await findCampaign(store.campaigns, report.campaign_id.toHexString())
  const [iods, evidence] = await Promise.all([fetchIods(peers, doc), readAllEvidence(peers, doc, userId)])
  const values = new Map(iods.map(({ id, value }) => [id, value]))
  return evidence.map(each => ({
    id: each.id,
    value: values.get(each.iod_id) ?? '',
    exact: each.exact,
    url: each.url,
    captured_at: each.captured_at && new Date(each.captured_at).toISOString(),
    citable: isCitable(each),
  }))
}

/**
 * Reads what a report is made of, once: of a report in review only what was there when it was handed in.
 * @throws HttpError 404 without its campaign, 409 if it is not TLP:CLEAR, 503 while a service is down
 */
export const readSources = async (
  { store, peers, users, site }: ReportContext,
  report: ReportDoc,
  made_at = new Date(),
): Promise<ReportSources> => {
  const campaignId = report.campaign_id.toHexString()
  const publisher = report.user_id?.toHexString() ?? ''
  await requireClear(store, campaignId)
  const doc = await findCampaign(store.campaigns, campaignId, '+techniques')
  const [members, statements, decisions, quotes, names, found] = await Promise.all([
    fetchIods(peers, doc),
    fetchStatements(peers, doc),
    store.reportDecisions.find({ report_id: report._id }).lean<ReportDecisionDoc[]>(),
    store.techniqueQuotes.find({ campaign_id: doc._id }).sort({ _id: 1 }).lean(),
    users.usernames([publisher]),
    readAllEvidence(peers, doc, publisher),
  ])
  const frozen = report.frozen && new Set(report.frozen)
  const cited = citedBy(report, quotes)
  const iods = members.filter(({ id }) => frozen?.has(id) ?? true)
  const evidence = found.filter(({ id }) => cited.has(id) && (frozen?.has(id) ?? true))
  const [consenting, collectors] = await Promise.all([
    readQuotable(peers, iods),
    readCollectors(peers, evidence),
  ])
  const n = (report.latest ?? 0) + 1
  const author = names.get(publisher)
  return {
    url: `${site.url}/reports/${report.slug}/v${n}`,
    slug: report.slug,
    n,
    made_at: made_at.toISOString(),
    first_at: report.first_at?.toISOString() ?? null,
    site: { name: PRODUCT_NAME, ...site },
    authors: report.draft.signed && author ? [author] : [],
    disarm: VERSION,
    draft: report.draft,
    publisher,
    iods,
    evidence,
    statements,
    decisions: new Map(
      decisions.map(({ iod_id, let_in, reason }) => [iod_id.toHexString(), { let_in, reason }]),
    ),
    consenting,
    collectors,
    takenOut: new Set(report.taken_out),
    techniques: (doc.techniques ?? []).map(({ id }) => ({
      id,
      quotes: quotes
        .filter(({ tid }) => tid === id)
        .map(({ source }) => (source.kind === 'evidence' ? String(source.id) : null)),
    })),
  }
}
