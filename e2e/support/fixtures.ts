import { authApi, collectorApi, profileApi } from '@iodine/contracts'
import {
  type AiProvider,
  type ApiClient,
  apiClient,
  type Product,
  startAiProvider,
  startProduct,
} from '@iodine/test-kit'
import { test as base, expect, type Page } from '@playwright/test'

export { expect, type Page }

let people = 0

/** Someone with a session, made over the API; `openAs` puts a browser into it. */
export interface Person {
  email: string
  username: string
  token: string
  api: ApiClient
}

interface Journey {
  /** Signs a new person in by a mailed link. */
  person(name: string): Promise<Person>
  /** Opens a path of the product in this test's page, as the person. */
  openAs(who: Person, path: string): Promise<void>
}

interface World {
  ai: AiProvider
  product: Product
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
  product: [
    async ({ ai }, use) => {
      const product = await startProduct({ OPENAI_BASE_URL: ai.url, RATE_LIMITS: 'off' })
      await use(product)
      expect(await product.stop()).toBe(0)
    },
    { scope: 'worker', timeout: 300_000 },
  ],
  baseURL: async ({ product }, use) => use(product.url),
  person: async ({ product }, use) => use(name => signUp(product, name)),
  openAs: async ({ page }, use) =>
    use(async (who, path) => {
      await page.goto('/login')
      await page.evaluate(token => localStorage.setItem('access_token', token), who.token)
      await page.goto(path)
    }),
})

/** Signs a new person in over the API, by a link from the inbox, with a username and without an AI key. */
export const signUp = async (product: Product, name: string): Promise<Person> => {
  const suffix = `${Date.now().toString(36)}${people++}`
  const email = `${name}.${suffix}@example.org`
  const username = `${name}_${suffix}`.slice(0, 20)
  const anonymous = apiClient(product.url)
  await anonymous.call(authApi.requestMagicLink, { body: { email } })
  const token = new URL(await product.mailedLink(email)).searchParams.get('token') ?? ''
  const session = await anonymous.call(authApi.verifyMagicLink, { body: { token } })
  const api = apiClient(product.url, session.access_token)
  await api.call(profileApi.setupUsername, { body: { username } })
  return { email, username, token: session.access_token, api }
}

/** A client with the collector's scope, connected as the extension connects: by a code from the overview. */
export const connectCollector = async (product: Product, api: ApiClient): Promise<ApiClient> => {
  const { code } = await api.call(authApi.generateExtensionCode)
  const { access_token } = await apiClient(product.url).call(authApi.redeemExtensionCode, { body: { code } })
  return apiClient(product.url, access_token)
}

/** Hands in short-video records, and expects each to be new. */
export const collectPosts = async (collector: ApiClient, records: object[]): Promise<void> => {
  const { results } = await collector.call(collectorApi.ingestRecords, {
    params: { source: 'tiktok' },
    body: { records },
  })
  expect(results.map(result => ('status' in result ? result.status : result.error))).toEqual(
    records.map(() => 'created'),
  )
}

/** Selects a piece of text on the page with the mouse, from its first character to its last. */
export const selectWithMouse = async (page: Page, piece: string): Promise<void> => {
  await page.getByText(piece).first().scrollIntoViewIfNeeded()
  const ends = await page
    .getByText(piece)
    .first()
    .evaluate((element, text) => {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const at = node.textContent?.indexOf(text) ?? -1
        if (at < 0) continue
        const range = document.createRange()
        range.setStart(node, at)
        range.setEnd(node, at + text.length)
        const { left, right, top, height } = range.getBoundingClientRect()
        return { left, right, y: top + height / 2 }
      }
      return undefined
    }, piece)
  if (!ends) throw new Error(`no single text node holds ${JSON.stringify(piece)}`)
  await page.mouse.move(ends.left, ends.y)
  await page.mouse.down()
  await page.mouse.move((ends.left + ends.right) / 2, ends.y)
  await page.mouse.move(ends.right, ends.y)
  await page.mouse.up()
}
