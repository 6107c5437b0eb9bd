import {
  type Client,
  campaignsApi,
  type Evidence,
  evidenceApi,
  type Iod,
  type ReportDetail,
  type ReportDraft,
  reportsApi,
} from '@iodine/contracts'
import { demoCampaigns } from './iods.js'

type Call = Client['call']

/** What the demo changes in the databases, since no request may: see `publishDemo`. */
export interface DemoReview {
  /** Makes the version in review of a report approvable without the wait for the users it quotes. */
  endWait: (slug: string) => Promise<void>
}

const POLL_MS = 200
const MAKING_MS = 120_000
const EXHIBITS = 4
const PERSONAL = new Set(['USERNAME', 'FULL_NAME', 'IP_ADDRESS'])

const DRAFT: Partial<ReportDraft> = {
  title: 'Giant mirrors over Lake Varnel: how a rumour was made',
  aliases: ['The boiling lake'],
  summary:
    'Within three days, a page and a channel of one evening grew into clips in three languages that say a solar tower boils a lake. The local paper measured the water and found no change.',
  unknown: 'Who wrote the first page, and whether the same people run all channels.',
  method:
    'Members collected public posts with the browser extension, which seals a copy of each page. Two members read each quote.\n\n- Only public pages were read.\n- Names of accounts are held back, except for one that exists only for this story.',
  references: [{ title: 'Lake Varnel Courier: We measured', url: 'https://courier.example/lake-varnel' }],
  signed: true,
  listed: true,
}
const CORRECTION: Partial<ReportDraft> = {
  summary: DRAFT.summary?.replace('three days', 'four days') ?? '',
  change: 'The first version said “within three days”. The clips spread within four days.',
}
const REPLY = {
  from: 'Varnel Solar Ltd',
  text: 'The mirrors face the tower. We publish the temperature of the lake each morning.',
}

/** Resolves to a report once its files are made. Throws if they are not. */
const inReview = async (author: Call, id: string): Promise<ReportDetail> => {
  const end = Date.now() + MAKING_MS
  for (;;) {
    const detail = await author(reportsApi.getReport, { params: { id } })
    if (detail.state === 'review') return detail
    if (detail.state === 'draft' || Date.now() > end)
      throw new Error(detail.problem ?? 'The demo’s report was not made')
    await new Promise(resolve => setTimeout(resolve, POLL_MS))
  }
}

/** Returns the first pieces of evidence of sealed captures that the author may open, without held-back names. */
const quotable = async (author: Call, iods: readonly Iod[]): Promise<Evidence[]> => {
  const isPersonal = ({ category }: Iod) => PERSONAL.has(category)
  const names = iods.filter(isPersonal).map(({ value }) => value.replace(/^@/, '').toLowerCase())
  const isNaming = (text: string) => names.some(name => text.toLowerCase().includes(name))
  const found: Evidence[] = []
  for (const iod of iods) {
    if (isPersonal(iod) || isNaming(iod.value)) continue
    const pieces = await author(evidenceApi.listEvidence, { params: { id: iod.id } })
    const publishable = pieces.filter(
      ({ open, seal, exact, url }) => open && seal !== null && !isNaming(`${exact} ${url}`),
    )
    found.push(...publishable.slice(0, 1))
    if (found.length >= EXHIBITS) break
  }
  return found
}

/** Writes the first draft of the demo's report. */
const writeDraft = async (author: Call, campaign_id: string, id: string): Promise<void> => {
  const { iods } = await author(campaignsApi.getCampaign, { params: { id: campaign_id } })
  const evidence_ids = (await quotable(author, iods)).map(each => each.id)
  const findings: ReportDraft['findings'] = [
    { text: 'The clips repeat the sentences of one page.', confidence: 'high', evidence_ids },
    { text: 'The accounts act together.', confidence: 'low', evidence_ids: evidence_ids.slice(0, 1) },
  ]
  await author(reportsApi.editReport, { params: { id }, body: { ...DRAFT, findings } })
  const account = iods.find(({ category }) => category === 'USERNAME')
  if (account)
    await author(reportsApi.decideReport, {
      params: { id, iod_id: account.id },
      body: { let_in: true, reason: 'asset' },
    })
}

/** Returns the demo's report of a campaign, which it creates if there is none. */
const findOrCreate = async (author: Call, campaign_id: string) => {
  const params = { id: campaign_id }
  const [known] = await author(reportsApi.listReports, { params })
  if (known) return known
  await author(campaignsApi.updateSharing, { params, body: { tlp: 'clear' } })
  const { id } = await author(reportsApi.createReport, { params })
  return { id, latest: null }
}

/**
 * Publishes a report of the demo's first campaign, with a corrected version and a reply. Idempotent.
 * @param author creator of the campaign
 * @param admin administrator whose session counts as opened by a passkey
 */
export const publishDemo = async (author: Call, admin: Call, { endWait }: DemoReview): Promise<void> => {
  const campaign = (await author(campaignsApi.listMyCampaigns)).find(
    ({ name }) => name === demoCampaigns[0]?.name,
  )
  if (!campaign) return
  const { id, latest } = await findOrCreate(author, campaign.id)
  const params = { id }
  /** Publishes a version, which `write` changes before it is handed in. */
  const publish = async (write: () => Promise<unknown>) => {
    const { state } = await author(reportsApi.getReport, { params })
    if (state === 'draft') {
      await write()
      await author(reportsApi.handInReport, { params })
    }
    const { slug } = await inReview(author, id)
    await endWait(slug)
    const { sha256 } = await admin(reportsApi.getReviewPage, { params })
    await admin(reportsApi.approveReport, { params, body: { sha256 } })
  }
  if ((latest ?? 0) < 1) await publish(() => writeDraft(author, campaign.id, id))
  if ((latest ?? 0) < 2) await publish(() => author(reportsApi.editReport, { params, body: CORRECTION }))
  const { replies } = await admin(reportsApi.getReport, { params })
  if (replies.length === 0) await admin(reportsApi.replyToReport, { params, body: REPLY })
}
