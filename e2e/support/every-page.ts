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
  sightingsApi,
} from '@iodine/contracts'
import { blogArticle, type SignedInUser, telegramPost, tiktokPost } from '@iodine/test-kit'
import { expect, type Page } from '@playwright/test'
import { sealPage } from './captures.js'
import { openAs } from './open-as.js'

const TEXT = 'Mirrors heat lakes.'
const CLAIM = 'https://example.org/claim'

/** Text of the messaging channel's record. */
const POST = telegramPost().telegram.post.description ?? ''

/** Pages before the sign-in and states of sections, with a text that each shows once its data is loaded. */
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
  ['/dashboard/origins?value=nowhere%20to%20be%20seen', 'Not seen here'],
  [`/dashboard/origins?${new URLSearchParams({ text: POST })}`, 'Earliest known here'],
  ['/dashboard/nowhere', 'Page Not Found'],
  ['/dashboard/graph/x', 'Page Not Found'],
  ['/dashboard/profile/x', 'Page Not Found'],
] as const

/** Ids of what `fillEveryPage` has created. */
interface Made {
  user: string
  username: string | null
  iod: string
  campaign: string
  narrative: string
  canonical: string
}

/** What every link of the app can lead to, with a text of the thing that the link names. */
const linked = (made: Made, isAdmin: boolean): Record<keyof typeof paths, readonly [AppPath, string]> => ({
  overview: [paths.overview(), 'Product roadmap'],
  data: [paths.data(), 'They hide the numbers from us'],
  iods: [paths.iods(), CLAIM],
  iod: [paths.iod(made.iod), 'Where was it first?'],
  narratives: [paths.narratives(), TEXT],
  narrative: [paths.narrative(made.narrative, { start: 0, end: TEXT.length }), TEXT],
  canonicalNarratives: [paths.canonicalNarratives(), '1 narrative'],
  canonicalNarrative: [paths.canonicalNarrative(made.canonical), 'Sentences (1)'],
  canonicalHistory: [paths.canonicalHistory(), 'Nothing is merged or split yet'],
  campaigns: [paths.campaigns(), 'Lake mirrors'],
  campaign: [paths.campaign(made.campaign), CLAIM],
  graph: [paths.graph(), '2 entities'],
  coShares: [paths.coShares({ iod: made.iod }), 'Accounts that share the same'],
  community: [paths.community(), '1 profile(s) found'],
  person: [paths.person(made.user), `@${made.username}`],
  origins: [paths.origins({ iod: made.iod }), CLAIM],
  profile: [paths.profile(), '@example.org'],
  admin: [paths.admin(), isAdmin ? 'Beta Code Management' : 'Access denied'],
  section: [paths.section('origins'), 'Search for a value, a text or an address'],
})

/** The tabs of the administrators' page. */
const ADMIN_PAGES = [
  ['/dashboard/admin?tab=people', '@example.org'],
  ['/dashboard/admin?tab=system', 'extraction'],
  ['/dashboard/admin?tab=audit-log', 'Administrator signed in (link)'],
  ['/dashboard/admin?tab=subscriptions', 'No subscriptions yet'],
] as const

/**
 * Creates data of every kind for a new person, so that no page is empty. The stack's AI provider answers.
 */
export const fillEveryPage = async ({ api, id: user, username }: SignedInUser): Promise<Made> => {
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
  await api.call(evidenceApi.addEvidence, {
    params: { id: iod.id },
    body: { capture_id: await sealPage(api, page), start, end: page.text.length, exact: CLAIM },
  })
  await api.call(iodsApi.voteIod, { params: { id: iod.id }, body: { vote_type: 'POSITIVE' } })
  const campaign = await api.call(campaignsApi.createCampaign, { body: { name: 'Lake mirrors' } })
  await api.call(campaignsApi.addIod, { params: { id: campaign.id }, body: { iod_id: iod.id } })
  await api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-reader' } })
  const indexed = async () =>
    (await api.call(sightingsApi.searchSightings, { body: { text: POST } })).counts.items
  await expect.poll(indexed, { timeout: 30_000 }).toBe(1)
  const narrative = (await api.call(narrativesApi.createNarrative, { body: { text: TEXT } })).id
  const canonical = () => api.call(canonicalApi.listCanonical, { query: {} })
  await expect.poll(async () => (await canonical()).length, { timeout: 30_000 }).toBe(1)
  const [{ id } = { id: '' }] = await canonical()
  return { user, username, iod: iod.id, campaign: campaign.id, narrative, canonical: id }
}

/** Links to the main pages of each section, which `npm test` visits; `linked` has the others. */
const OF_SECTIONS: ReadonlySet<string> = new Set<keyof typeof paths>([
  'overview',
  'data',
  'iods',
  'iod',
  'narratives',
  'campaigns',
  'campaign',
  'graph',
  'community',
  'origins',
  'profile',
  'admin',
])

/** Which pages are visited: those that a link leads to, or the others: before the sign-in, states of sections, administration. */
export type PageSet = 'sections' | 'linked' | 'others'

/**
 * Opens pages in sequence as a person with data, and waits until each has loaded.
 * @param person `made`: what `fillEveryPage` has created for them
 * @param look called on each loaded page
 */
export const visitEveryPage = async (
  page: Page,
  person: { url: string; token: string; isAdmin: boolean; made: Made },
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
    // Panels and dialogs stand beside the page.
    await expect(page.locator('main, [role="dialog"]').getByText(text).first()).toBeVisible()
    await look(path)
    await page.evaluate(() => localStorage.clear())
  }
}
