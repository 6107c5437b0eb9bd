import {
  campaignsApi,
  collectorApi,
  evidenceApi,
  iodsApi,
  narrativesApi,
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

/** Every page, with a text that it shows once its data is loaded. */
const PAGES = [
  ['/login', 'Continue'],
  ['/privacy-policy', 'Last updated: June 17, 2025'],
  ['/terms-of-service', 'Last updated: June 17, 2025'],
  ['/verify', 'drop a .wacz file here'],
  ['/setup-username', 'Welcome to Iodine'],
  ['/dashboard/overview', 'Product roadmap'],
  ['/dashboard/data', 'They hide the numbers from us'],
  ['/dashboard/data?source=telegram', 'Share before it is deleted'],
  ['/dashboard/data?source=blog', 'A closer look'],
  ['/dashboard/iods', 'https://example.org/claim'],
  ['/dashboard/iods?q=claim', 'https://example.org/'],
  ['/dashboard/narratives', TEXT],
  ['/dashboard/narratives/canonical', '1 narrative'],
  ['/dashboard/narratives/canonical/history', 'Nothing is merged or split yet'],
  ['/dashboard/campaigns', 'Lake mirrors'],
  ['/dashboard/graph', '2 entities'],
  ['/dashboard/community', '1 profile(s) found'],
  ['/dashboard/origins', 'Search for a value, a text or an address'],
  ['/dashboard/origins?value=nowhere%20to%20be%20seen', 'Not seen here'],
  [`/dashboard/origins?${new URLSearchParams({ text: POST })}`, 'Earliest known here'],
  ['/dashboard/profile', '@example.org'],
  ['/dashboard/nowhere', 'Page Not Found'],
] as const

/** The tabs of the administrators' page. */
const ADMIN_PAGES = [
  ['/dashboard/admin', 'Beta Code Management'],
  ['/dashboard/admin?tab=subscriptions', 'No subscriptions yet'],
] as const

/**
 * Creates data of every kind for a new person, so that no page is empty. The stack's AI provider answers.
 * @returns the id of the person's narrative
 */
export const fillEveryPage = async ({ api }: SignedInUser): Promise<string> => {
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
  return (await api.call(narrativesApi.createNarrative, { body: { text: TEXT } })).id
}

/**
 * Opens all pages in sequence as a person with data, and waits until each has loaded.
 * @param person whose `narrative` is the id of one of theirs
 * @param look called on each loaded page
 */
export const visitEveryPage = async (
  page: Page,
  person: { url: string; token: string; isAdmin: boolean; narrative: string },
  look: (path: string) => Promise<void> = async () => {},
): Promise<void> => {
  const { url, token, isAdmin, narrative } = person
  const own = [
    ...ADMIN_PAGES.map(([path, text]) => [path, isAdmin ? text : 'Access denied'] as const),
    [`/dashboard/narratives/${narrative}`, TEXT],
  ] as const
  for (const [path, text] of [...PAGES, ...own]) {
    if (path.startsWith('/dashboard')) await openAs(page, url, token, path)
    else await page.goto(url + path)
    await expect(page.getByRole('main').getByText(text).first()).toBeVisible()
    await look(path)
    await page.evaluate(() => localStorage.clear())
  }
}
