/** @module-tag long */
import {
  authApi,
  graphApi,
  iodAnalyticsApi,
  iodsApi,
  narrativesApi,
  profileApi,
  recordAnalyticsApi,
} from '@iodine/contracts'
import { apiClient, startMailCatcher, temporaryFolder } from '@iodine/test-kit'
import { expect, test } from 'vitest'
import { addDemo, demoDaysIn } from '../src/demo.js'
import { startStack } from '../src/index.js'

test('the demo fills a product with SMTP_URL and beta codes without sending any mail', {
  timeout: 180_000,
}, async () => {
  const folder = temporaryFolder()
  const mail = await startMailCatcher()
  const env = {
    PORT: '0',
    DATA_DIR: folder.path,
    SMTP_URL: mail.url,
    BETA_REQUIRED: 'true',
    LOG_LEVEL: 'warn',
  }
  const stack = await startStack({ env, demo: true })
  try {
    const output: string[] = []
    const signIns = await addDemo(stack, line => output.push(line))
    expect(output.join()).not.toContain('not complete')
    const page = await fetch(`${stack.url}/reports`)
    const [path = ''] = /\/reports\/[a-z2-7]{16}/.exec(await page.text()) ?? []
    for (const [version, text] of [
      ['v1', 'three days'],
      ['v2', 'four days'],
    ]) {
      const shown = await (await fetch(`${stack.url}${path}/${version}`)).text()
      expect(shown).toContain(text)
      expect(shown).toContain('Reply of Varnel Solar Ltd')
    }
    expect(signIns).toContain('only admin@iodine.local can read it')
    const token = /token=(\S+)/.exec(signIns)?.[1] ?? ''
    const { access_token } = await apiClient(stack.url).call(authApi.verifyMagicLink, { body: { token } })
    const { call } = apiClient(stack.url, access_token)
    expect(await call(profileApi.getProfile)).toMatchObject({
      email: 'analyst@iodine.example',
      username: 'mirror_desk',
    })
    const iods = await call(iodsApi.listIods)
    expect(iods.length).toBeGreaterThan(60)
    const daysOf = (all: { created_at: string }[]) => new Set(all.map(each => each.created_at.slice(0, 10)))
    expect(daysOf(iods).size).toBeGreaterThan(25)
    const ages = iods.map(({ created_at }) => (Date.now() - Date.parse(created_at)) / 86_400_000)
    expect(Math.max(...ages)).toBeGreaterThan(50)
    expect(Math.max(...ages)).toBeLessThan(61)
    expect(Math.min(...ages)).toBeGreaterThanOrEqual(0)
    for (const { created_at, votes } of iods)
      for (const vote of votes) {
        expect(vote.created_at >= created_at).toBe(true)
        expect(Date.parse(vote.created_at)).toBeLessThanOrEqual(Date.now())
      }
    const day = (at: number) => new Date(at).toISOString().slice(0, 10)
    const period = { from: day(Date.now() - 60 * 86_400_000), to: day(Date.now()) }
    const analyze = () => call(recordAnalyticsApi.analyzeRecords, { query: period })
    await expect.poll(async () => (await analyze()).novelties[2]?.n, { timeout: 30_000 }).toBe(0)
    const { total, days, novelties } = await analyze()
    expect(days.filter(each => each.total > 0).length).toBeGreaterThan(20)
    expect(novelties.map(({ n }) => n > 0)).toEqual([true, true, false])
    const iodDays = (await call(iodAnalyticsApi.analyzeIods, { query: period })).days
    expect(iodDays.reduce((sum, each) => sum + each.total, 0)).toBe(iods.length)
    expect(iodDays.filter(each => each.total > 0).length).toBeGreaterThan(25)
    expect(total).toBeGreaterThan(50)
    const narratives = await call(narrativesApi.listNarratives)
    const sentences = narratives.flatMap(({ triplets }) =>
      triplets.map(each => `${each.subject} ${each.verb} ${each.object}`),
    )
    expect(sentences).toContain('An advertiser pays Captain Osk')
    // The graph filters by these dates.
    const { links } = await call(graphApi.getTriplets)
    const month = { end_date: new Date(Date.now() - 30 * 86_400_000).toISOString() }
    const earlier = (await call(graphApi.getTriplets, { query: month })).links
    expect(earlier.length).toBeGreaterThan(10)
    expect(earlier.length).toBeLessThan(links.length)
    expect(mail.mails).toEqual([])
  } finally {
    await stack.stop()
    await mail.stop()
    folder.remove()
  }
})

test('the demo’s days are an option', () => {
  expect(demoDaysIn(['node', 'main.js'])).toBeUndefined()
  expect(demoDaysIn(['node', 'main.js', '--demo'])).toBe(60)
  expect(demoDaysIn(['node', 'main.js', '--demo=365'])).toBe(365)
})
