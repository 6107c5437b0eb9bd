import { graphApi, iodsApi, paths } from '@iodine/contracts'
import { apiClient, tiktokPost } from '@iodine/test-kit'
import type { Page as PuppeteerPage } from 'puppeteer-core'
import { evaluateIn, expectText, fillIn, pressIn, selectIn } from '../support/browser-page.js'
import { FIREFOX, startFirefox } from '../support/firefox.js'
import { collectPosts, connectCollector, expect, test } from '../support/fixtures.js'

const TEXT = 'Giant mirrors heat the lake. Secret engineers hide the mirrors.'

/** Returns an element's attribute; null without the element. */
const attributeOf = (page: PuppeteerPage, selector: string, name: string) =>
  evaluateIn(
    page,
    (wanted, attribute) => document.querySelector(wanted)?.getAttribute(attribute) ?? null,
    selector,
    name,
  )
const pathOf = (page: PuppeteerPage) => evaluateIn(page, () => location.pathname)

test('in Firefox, a user signs in and does the first action of each section', {
  tag: '@long',
}, async ({ app, ai }) => {
  test.skip(!FIREFOX, 'no Firefox on this machine')
  test.setTimeout(600_000)
  const mark = Date.now().toString(36)
  const [email, username] = [`firefox.${mark}@example.org`, `firefox_${mark}`]
  const claim = `Secret mirrors ${mark} heat the lake`
  const firefox = await startFirefox()
  const page = await firefox.newPage()
  await page.setViewport({ width: 1440, height: 900 })
  const errors: string[] = []
  page.on('pageerror', error => void errors.push(String(error)))

  await test.step('sign-in by the mailed link', async () => {
    await page.goto(`${app.url}/`)
    await expect.poll(() => pathOf(page)).toBe('/login')
    await fillIn(page, 'Email', email)
    await pressIn(page, 'Continue')
    await expectText(page, 'Check your email to sign in')
    await page.goto(await app.mailedLink(email))
    await fillIn(page, 'Username', username)
    await pressIn(page, 'Continue')
    await expect.poll(() => pathOf(page)).toBe(paths.overview())
  })
  const api = apiClient(app.url, (await evaluateIn(page, () => localStorage.getItem('access_token'))) ?? '')

  await test.step('overview: the collector’s file for Firefox, and a code for it', async () => {
    await expectText(page, `@${username}`)
    await expect.poll(() => attributeOf(page, 'a[href$=".xpi"]', 'href')).not.toBeNull()
    await pressIn(page, 'Generate Code')
    await expectText(page, 'Valid for 5 minutes')
    const collector = await connectCollector(app, api)
    await collectPosts(collector, [
      tiktokPost({ video_id: `7${Date.now()}`, description: `${claim} and nobody says it` }),
    ])
  })

  await test.step('My data: selected words become an IOD', async () => {
    await pressIn(page, 'My data')
    await expectText(page, `${claim} and nobody says it`)
    await selectIn(page, claim)
    await pressIn(page, '+ IOD')
    await fillIn(page, 'Description', 'A claim that returns')
    await pressIn(page, 'Create IOD')
    await expect.poll(() => evaluateIn(page, () => document.querySelector('mark')?.textContent)).toBe(claim)
  })

  await test.step('IODs: a vote', async () => {
    await pressIn(page, 'IODs')
    await expectText(page, claim)
    await pressIn(page, 'Upvote')
    const votes = async () =>
      (await api.call(iodsApi.listIods, { query: { q: mark } })).map(({ votes }) => votes.length)
    await expect.poll(votes).toEqual([1])
  })

  await test.step('Narratives: the triplets of a text', async () => {
    await pressIn(page, 'Profile')
    await pressIn(page, 'Add key')
    await fillIn(page, 'API key', 'sk-firefox-key')
    await pressIn(page, 'Save')
    await expectText(page, 'Configured')
    ai.next({
      triplets: [
        { subject: 'Giant mirrors', verb: 'heat', object: 'the lake' },
        { subject: 'Secret engineers', verb: 'hide', object: 'Giant mirrors' },
      ],
    })
    await pressIn(page, 'Narratives')
    await fillIn(page, 'Text (required)', TEXT)
    await pressIn(page, 'Extract narratives')
    await expectText(page, 'Analyzed narratives (1)')
    await expectText(page, 'Secret engineers')
  })

  await test.step('Graph: the canvas shows the triplets', async () => {
    await pressIn(page, 'Graph')
    await expectText(page, '3 entities')
    await expect.poll(() => attributeOf(page, 'canvas', 'data-layout')).toBe('settled')
    expect((await api.call(graphApi.getTriplets)).nodes.length).toBeGreaterThan(0)
  })

  await test.step('Campaigns: a campaign', async () => {
    await pressIn(page, 'Campaigns')
    await expectText(page, 'Organize and manage your IOD collections')
    await pressIn(page, 'Create Campaign')
    await fillIn(page, 'Campaign Name (required)', `Lake ${mark}`)
    await pressIn(page, 'Create Campaign', '[role=dialog]')
    await expectText(page, `Lake ${mark}`)
    await expectText(page, `Created by ${username}`)
  })

  await test.step('Analytics: a mark of a chart leads to its rows', async () => {
    await pressIn(page, 'Analytics')
    const nameOfMark = () =>
      evaluateIn(page, () => document.querySelector('[role=region] svg a')?.getAttribute('aria-label') ?? '')
    await expect.poll(nameOfMark).not.toBe('')
    await pressIn(page, await nameOfMark())
    await expect.poll(() => pathOf(page)).toBe(paths.iods())
    await expectText(page, claim)
  })

  await test.step('Community: a search', async () => {
    await pressIn(page, 'Community')
    await fillIn(page, 'Search for a user...', username)
    await expectText(page, `Search: "${username}"`)
  })

  await test.step('Origins: the first appearance of a text', async () => {
    await pressIn(page, 'Origins')
    await fillIn(page, 'Search for', claim)
    await pressIn(page, 'Search')
    await expectText(page, 'Earliest known here')
  })

  expect(errors).toEqual([])
  await firefox.close()
})
