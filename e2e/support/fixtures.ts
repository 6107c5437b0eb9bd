import { authApi, collectorApi, profileApi } from '@iodine/contracts'
import { type StartedApp, startApp } from '@iodine/harness'
import { type AiProvider, type ApiClient, apiClient, startAiProvider } from '@iodine/test-kit'
import { test as base, expect, type Locator, type Page } from '@playwright/test'
import { keepLog } from './keep-log.js'
import { openAs } from './open-as.js'

export { expect, type Page }

let people = 0

/** A user with a session, created over the API. `openAs` signs a browser in. */
export interface Person {
  email: string
  username: string
  token: string
  api: ApiClient
}

export interface Journey {
  /** Signs a new user in with a mailed link. */
  person(name: string): Promise<Person>
  /** Opens a path of the app in this test's page, signed in as the user. */
  openAs(who: Person, path: string): Promise<void>
  keptLog: undefined
}

interface World {
  ai: AiProvider
  app: StartedApp
}

export const test = base.extend<Journey, World>({
  ai: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures' names from the pattern
    async ({}, use) => {
      const provider = await startAiProvider()
      await use(provider)
      await provider.stop()
    },
    { scope: 'worker' },
  ],
  app: [
    async ({ ai }, use) => {
      const app = await startApp({ OPENAI_BASE_URL: ai.url, RATE_LIMITS: 'off' })
      await use(app)
      expect(await app.stop()).toBe(0)
    },
    { scope: 'worker', timeout: 300_000 },
  ],
  keptLog: [
    async ({ app }, use, info) => {
      await use(undefined)
      await keepLog(info, app)
    },
    { auto: true },
  ],
  baseURL: async ({ app }, use) => use(app.url),
  person: async ({ app }, use) => use(name => signUp(app, name)),
  openAs: async ({ page }, use) => use((who, path) => openAs(page, '', who.token, path)),
})

/** Signs a new user in over the API by a mailed link, with a username and without an AI key. */
export const signUp = async (app: StartedApp, name: string): Promise<Person> => {
  const suffix = `${Date.now().toString(36)}${people++}`
  const email = `${name}.${suffix}@example.org`
  const username = `${name}_${suffix}`.slice(0, 20)
  const anonymous = apiClient(app.url)
  await anonymous.call(authApi.requestMagicLink, { body: { email } })
  const token = new URL(await app.mailedLink(email)).searchParams.get('token') ?? ''
  const session = await anonymous.call(authApi.verifyMagicLink, { body: { token } })
  const api = apiClient(app.url, session.access_token)
  await api.call(profileApi.setupUsername, { body: { username } })
  return { email, username, token: session.access_token, api }
}

/** Creates a client with the collector's scope by a code from the overview, as the extension does. */
export const connectCollector = async (app: StartedApp, api: ApiClient): Promise<ApiClient> => {
  const { code } = await api.call(authApi.generateExtensionCode)
  const { access_token } = await apiClient(app.url).call(authApi.redeemExtensionCode, { body: { code } })
  return apiClient(app.url, access_token)
}

/** Ingests short-video records and expects each to be new. */
export const collectPosts = async (collector: ApiClient, records: object[]): Promise<void> => {
  const { results } = await collector.call(collectorApi.ingestRecords, {
    params: { source: 'tiktok' },
    body: { records },
  })
  expect(results.map(result => ('status' in result ? result.status : result.error))).toEqual(
    records.map(() => 'created'),
  )
}

/** Selects a text in the page, or in a part of it, with the mouse. */
export const selectWithMouse = async (
  page: Page,
  piece: string,
  within: Locator | Page = page,
): Promise<void> => {
  const holder = within.getByText(piece).first()
  await holder.scrollIntoViewIfNeeded()
  const ends = await holder.evaluate((element, text) => {
    const at = element.textContent?.indexOf(text) ?? -1
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
    const range = document.createRange()
    let passed = 0
    // A highlight splits a text into several nodes.
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const length = node.nodeValue?.length ?? 0
      const inside = (offset: number) => offset >= passed && offset <= passed + length
      if (at >= passed && at < passed + length) range.setStart(node, at - passed)
      if (inside(at + text.length)) {
        range.setEnd(node, at + text.length - passed)
        break
      }
      passed += length
    }
    const lines = [...range.getClientRects()]
    const [first, last] = [lines[0], lines.at(-1)]
    if (!first || !last) throw new Error(`${JSON.stringify(text)} is not on the page`)
    const middle = ({ top, height }: DOMRect) => top + height / 2
    return { from: [first.left, middle(first)] as const, to: [last.right, middle(last)] as const }
  }, piece)
  await page.mouse.move(...ends.from)
  await page.mouse.down()
  await page.mouse.move((ends.from[0] + ends.to[0]) / 2, ends.to[1])
  await page.mouse.move(...ends.to)
  await page.mouse.up()
}

/** Scroll step in pixels, less than the viewport's height. */
const WHEEL = 700
const POLL_MS = 30

/** Reads every card of an open tab of My data by scrolling to the end. Positions count from 1. */
export const readCards = async (
  page: Page,
  total: number,
  look: (card: Locator, position: number) => Promise<unknown> = async () => {},
): Promise<void> => {
  for (let position = 1; position <= total; position++) {
    const card = page.locator(`article[aria-posinset="${position}"]:not([aria-busy])`)
    await expect(async () => {
      if ((await card.count()) === 0) {
        await page.mouse.wheel(0, WHEEL)
        // Wait for the next frame: another wheel event would scroll past the card.
        await page.evaluate(() => new Promise(requestAnimationFrame))
      }
      expect(await card.count()).toBe(1)
    }).toPass({ intervals: [POLL_MS] })
    await look(card, position)
  }
}
