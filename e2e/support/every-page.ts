import {
  type AppPath,
  campaignsApi,
  canonicalApi,
  collectorApi,
  evidenceApi,
  iodsApi,
  narrativesApi,
  paths,
  profileApi,
  reportsApi,
  sightingsApi,
} from '@iodine/contracts'
import { type ApiClient, blogArticle, type SignedInUser, telegramPost, tiktokPost } from '@iodine/test-kit'
import { expect, type Page } from '@playwright/test'
import { sealPage } from './captures.js'
import { openAs } from './open-as.js'

const TEXT = 'Mirrors heat lakes.'
const CLAIM = 'https://example.org/claim'

/** Text of the messaging channel's record. */
const POST = telegramPost().telegram.post.description ?? ''

/** Pages without sign-in and states of sections, with a text that each shows once its data is loaded. */
const PAGES = [
  ['/login', 'Continue'],
  ['/privacy-policy', 'Last updated: June 17, 2025'],
  ['/terms-of-service', 'Last updated: June 17, 2025'],
  ['/verify', 'drop a .wacz file here'],
  ['/account-link', 'This link is invalid or has expired'],
  ['/setup-username', 'Welcome to Iodine'],
  [paths.data({ source: 'telegram' }), 'Share before it is deleted'],
  [paths.data({ source: 'blog' }), 'A closer look'],
  [paths.iods({ q: 'claim' }), 'https://example.org/'],
  ['/dashboard/origins?value=nowhere%20to%20be%20seen', 'No matching posts'],
  [`/dashboard/origins?${new URLSearchParams({ text: POST })}`, 'Earliest known here'],
  [paths.analytics({ tab: 'collection' }), 'Hours of posting'],
  [paths.analytics({ tab: 'campaigns' }), 'First appearances'],
  [paths.analytics({ tab: 'narratives' }), 'Narratives by week'],
  [paths.profile({ tab: 'security' }), 'This session'],
  [paths.profile({ tab: 'notifications' }), 'Replies and mentions'],
  [paths.profile({ tab: 'access' }), 'Create token'],
  [paths.profile({ tab: 'data' }), 'Collected records'],
  ['/dashboard/nowhere', 'Page Not Found'],
  ['/dashboard/graph/x', 'Page Not Found'],
  ['/dashboard/profile/x', 'Page Not Found'],
] as const

/** Settings of an app that `fillEveryPage` fills. */
export const EVERY_PAGE_SETTINGS = {
  REPORTS: 'reviewed',
  REPORTS_CONTACT: 'desk@iodine.example',
  REPORTS_LEGAL_NOTICE: 'Example Institute',
}

/** Ids of the entities that `fillEveryPage` has created. */
interface CreatedIds {
  user: string
  username: string | null
  iod: string
  campaign: string
  narrative: string
  canonical: string
  report: string
}

/** Returns the target of every link of the app, with a text that the page shows. */
const linked = (
  made: CreatedIds,
  isAdmin: boolean,
): Record<keyof typeof paths, readonly [AppPath, string]> => ({
  overview: [paths.overview(), 'Product roadmap'],
  data: [paths.data(), 'They hide the numbers from us'],
  importData: [paths.importData(), 'or drop them here'],
  iods: [paths.iods(), CLAIM],
  iod: [paths.iod(made.iod), 'Find first appearance'],
  checkList: [paths.checkList(), 'Values, one per line'],
  narratives: [paths.narratives(), TEXT],
  narrative: [paths.narrative(made.narrative, { start: 0, end: TEXT.length }), TEXT],
  canonicalNarratives: [paths.canonicalNarratives(), '1 narrative'],
  canonicalNarrative: [paths.canonicalNarrative(made.canonical), 'Sentences (1)'],
  canonicalHistory: [paths.canonicalHistory(), 'No merges or splits yet'],
  campaigns: [paths.campaigns(), 'Lake mirrors'],
  campaign: [paths.campaign(made.campaign), CLAIM],
  quotedReports: [paths.quotedReports(), 'No report in review quotes you'],
  report: [paths.report(made.report), 'Hand in for review'],
  matrix: [paths.matrix(), 'Facilitate State Propaganda'],
  analytics: [paths.analytics(), 'Top domains'],
  graph: [paths.graph(), '2 entities'],
  coShares: [paths.coShares({ iod: made.iod }), 'Accounts that share the same'],
  community: [paths.community(), `@${made.username}`],
  person: [paths.person(made.user), `@${made.username}`],
  origins: [paths.origins({ iod: made.iod }), CLAIM],
  profile: [paths.profile(), '@example.org'],
  admin: [paths.admin(), isAdmin ? 'Beta Code Management' : 'Access denied'],
  section: [paths.section('origins'), 'Search for a text, a URL or a hash'],
})

/** The tabs of the administration page. */
const ADMIN_PAGES = [
  ['/dashboard/admin?tab=people', '@example.org'],
  ['/dashboard/admin?tab=system', 'Narrative extraction'],
  ['/dashboard/admin?tab=reports', 'No reports in review'],
  ['/dashboard/admin?tab=audit-log', 'Administrator signed in (link)'],
  ['/dashboard/admin?tab=subscriptions', 'No subscriptions yet'],
] as const

/** Drafts a report of a campaign, with a finding that rests on a quote. */
const draftReport = async ({ call }: ApiClient, campaign: string, quote: string): Promise<string> => {
  await call(campaignsApi.updateSharing, { params: { id: campaign }, body: { tlp: 'clear' } })
  const { id } = await call(reportsApi.createReport, { params: { id: campaign } })
  const findings = [{ text: 'Mirrors heat lakes.', confidence: 'medium' as const, evidence_ids: [quote] }]
  await call(reportsApi.editReport, {
    params: { id },
    body: { title: 'Report on mirrors', summary: 'A summary', method: 'By hand', findings },
  })
  return id
}

/** Creates data of every kind for a new user, so that no page is empty. Uses the app's AI provider. */
export const fillEveryPage = async ({ api, id: user, username }: SignedInUser): Promise<CreatedIds> => {
  const clip = tiktokPost()
  for (const [source, record] of [
    ['tiktok', clip],
    ['telegram', telegramPost()],
    ['blog', blogArticle()],
  ] as const)
    await api.call(collectorApi.ingestRecords, { params: { source }, body: { records: [record] } })
  const iod = await api.call(iodsApi.createIod, {
    body: {
      value: CLAIM,
      category: 'URL',
      description: 'a link',
      source_type: 'MANUAL',
    },
  })
  const page = {
    url: 'https://example.org/clip',
    text: `All of it: ${CLAIM}`,
    source: 'tiktok',
    record: clip,
  } as const
  const start = page.text.indexOf(CLAIM)
  const quote = await api.call(evidenceApi.addEvidence, {
    params: { id: iod.id },
    body: { capture_id: await sealPage(api, page), start, end: page.text.length, exact: CLAIM },
  })
  await api.call(iodsApi.voteIod, { params: { id: iod.id }, body: { vote_type: 'POSITIVE' } })
  const campaign = await api.call(campaignsApi.createCampaign, { body: { name: 'Lake mirrors' } })
  await api.call(campaignsApi.addIod, { params: { id: campaign.id }, body: { iod_id: iod.id } })
  const report = await draftReport(api, campaign.id, quote.id)
  await api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-reader' } })
  const indexed = async () =>
    (await api.call(sightingsApi.searchSightings, { body: { text: POST } })).counts.items
  await expect.poll(indexed, { timeout: 30_000 }).toBe(1)
  const narrative = (await api.call(narrativesApi.createNarrative, { body: { text: TEXT } })).id
  const canonical = () => api.call(canonicalApi.listCanonical, { query: {} })
  await expect.poll(async () => (await canonical()).length, { timeout: 30_000 }).toBe(1)
  const [{ id } = { id: '' }] = await canonical()
  return { user, username, iod: iod.id, campaign: campaign.id, narrative, canonical: id, report }
}

/** Links to the main pages of the sections, which `npm test` visits; `linked` has the others. */
const OF_SECTIONS: ReadonlySet<string> = new Set<keyof typeof paths>([
  'overview',
  'data',
  'iods',
  'iod',
  'narratives',
  'campaigns',
  'campaign',
  'matrix',
  'analytics',
  'graph',
  'community',
  'origins',
  'profile',
  'admin',
])

/**
 * Sets of pages: link targets (main pages of sections, or the rest), or others: without sign-in, states,
 * administration.
 */
export type PageSet = 'sections' | 'linked' | 'others'

/**
 * Opens pages in sequence as a user with data, and waits until each has loaded.
 * @param person `made`: the result of `fillEveryPage`
 * @param look called on each loaded page
 */
export const visitEveryPage = async (
  page: Page,
  person: { url: string; token: string; isAdmin: boolean; made: CreatedIds },
  look: (path: string) => Promise<void> = async () => {},
  sets: readonly PageSet[] = ['sections', 'linked', 'others'],
): Promise<void> => {
  const { url, token, isAdmin, made } = person
  const links = Object.entries(linked(made, isAdmin))
  const pages: Record<PageSet, (readonly [string, string])[]> = {
    sections: links.filter(([name]) => OF_SECTIONS.has(name)).map(([, page]) => page),
    linked: links.filter(([name]) => !OF_SECTIONS.has(name)).map(([, page]) => page),
    others: [
      ...PAGES,
      ...ADMIN_PAGES.map(([path, text]) => [path, isAdmin ? text : 'Access denied'] as const),
    ],
  }
  for (const [path, text] of sets.flatMap(set => pages[set])) {
    if (path.startsWith('/dashboard')) await openAs(page, url, token, path)
    else await page.goto(url + path)
    // Panels and dialogs are outside of `main`.
    await expect(page.locator('main, [role="dialog"]').getByText(text).first()).toBeVisible()
    await look(path)
    await page.evaluate(() => localStorage.clear())
  }
}
