import { authApi, capturesApi, collectorApi, iodsApi, type Source } from '@iodine/contracts'
import { runs } from '@iodine/test-kit/runs'
import { fixture, startLine, startSites } from '../support/collector.js'
import { BROWSERS, type DrivenTab, drive, expectText } from '../support/collector-driver.js'
import { FIREFOX, launchInFirefox } from '../support/firefox.js'
import { expect, type Person, test } from '../support/fixtures.js'

const HOSTS = ['*.tiktok.com', 't.me', 'blog.example.org']

const signIn = async (popup: DrivenTab, who: Person) => {
  const { code } = await who.api.call(authApi.generateExtensionCode)
  await popup.fill('Extension code', code)
  await popup.press('Sign in')
  await expectText(popup, `@${who.username}`)
}
const recordsOf = (who: Person, source: Source) =>
  who.api.call(collectorApi.listRecords, { params: { source } })
const captures = (who: Person) => who.api.call(capturesApi.listCaptures, { query: {} })

for (const browser of BROWSERS)
  test.describe(browser, () => {
    test.skip(browser === 'Firefox' && !FIREFOX, 'no Firefox on this machine')

    test('collects and seals the three sources, and signs out', { tag: '@long' }, async ({ app, person }) => {
      const ana = await person('browsers')
      const sites = await startSites()
      const collector = await drive(browser, { sites, hosts: HOSTS, server: app.url })
      let isSignedIn = false
      for (const [source, name, button] of [
        ['tiktok', 'video', 'Collect this post'],
        ['telegram', 'single', 'Collect this post'],
        ['blog', 'article', 'Collect this article'],
      ] as const) {
        const { url, html } = fixture(source, name)
        sites.serve(url, html)
        const { popup } = await collector.open(url)
        if (!isSignedIn) await signIn(popup, ana)
        isSignedIn = true
        await popup.press(button)
        await expectText(popup, '1 collected')
        await expectText(popup, '0 waiting')
        await expectText(popup, '0 refused')
        await expect.poll(async () => (await recordsOf(ana, source)).length).toBe(1)
        await expectText(popup, /Sealed as no\. [\d,]+/)
        if (source === 'blog') {
          await popup.press('Sign out')
          await expectText(popup, 'Extension code')
        }
      }
      expect((await captures(ana)).map(({ state }) => state)).toEqual(['sealed', 'sealed', 'sealed'])
      await collector.close()
      await sites.stop()
    })

    test('loses and doubles no record, and doubles no capture, if its background is stopped at any time', {
      tag: '@long',
    }, async ({ app, person }) => {
      test.setTimeout(1_800_000)
      const ben = await person('killed')
      const sites = await startSites()
      const { url, html, all } = fixture('telegram', 'several')
      sites.serve(url, html)
      const line = await startLine(app.url)
      const collector = await drive(browser, { sites, hosts: HOSTS, server: line.url })
      const { popup } = await collector.open(url)
      await signIn(popup, ben)
      for (let run = 0; run < runs(50); run++) {
        await popup.press('Collect all visible posts')
        // A different moment in each run: collecting, making captures, sending records, uploading, sealing.
        await new Promise(resolve => setTimeout(resolve, (run * 37) % 900))
        await collector.stopBackground()
      }
      await popup.press('Collect all visible posts')
      await expectText(popup, /\d collected/)
      await expect.poll(async () => (await recordsOf(ben, 'telegram')).length).toBe(all.length)
      await expectText(popup, '0 waiting')
      await expect.poll(() => popup.text(), { timeout: 120_000 }).not.toContain('waiting to be sealed')
      const sealed = await captures(ben)
      // Each press captures each post. A capture whose background stops while it is made is lost: the popup says so.
      expect(sealed.length).toBeGreaterThan(0)
      expect(sealed.length).toBeLessThanOrEqual((runs(50) + 1) * all.length)
      expect(sealed.every(({ state }) => state === 'sealed')).toBe(true)
      await collector.close()
      line.stop()
      await sites.stop()
    })
  })

test('Firefox: permissions are refused and removed, and the event page wakes with its queue', {
  tag: '@long',
}, async ({ app, person }) => {
  test.skip(!FIREFOX, 'no Firefox on this machine')
  const eve = await person('allows')
  const known = `@drained.${Date.now()}`
  await eve.api.call(iodsApi.createIod, {
    body: { value: known, category: 'USERNAME', description: '', source_type: 'MANUAL' },
  })
  const sites = await startSites()
  const url = 'https://blog.example.org/post'
  sites.serve(
    url,
    `<!doctype html><html lang="en"><head><title>Post</title></head><body><main><h1>Post</h1>
    <p id="words">They follow ${known} again</p></main></body></html>`,
  )
  const line = await startLine(app.url)
  const firefox = await launchInFirefox(sites, line.url)
  const { page, popup } = await firefox.open(url)
  await signIn(popup, eve)
  const drawn = () => page.evaluate(() => document.documentElement.lastElementChild?.nodeName ?? '')

  await test.step('refused: the site is not marked', async () => {
    await firefox.answerPermissions('block')
    await popup.press('Mark known IODs on blog.example.org')
    await firefox.refuse()
    await expectText(popup, 'Marking IODs on blog.example.org requires your permission')
    expect(await drawn()).toBe('BODY')
  })
  await test.step('granted: known IODs are marked and listed', async () => {
    await firefox.answerPermissions('allow')
    await popup.press('Mark known IODs on blog.example.org')
    await expect.poll(drawn).toBe('DIV')
    await expect
      .poll(async () => {
        await popup.evaluate(() => chrome.alarms.create('overlay', { when: Date.now() }))
        return popup.text()
      })
      .toContain(known)
  })
  await test.step('removed: the marks disappear', async () => {
    await firefox.revoke('https://blog.example.org/*')
    await expect.poll(drawn).toBe('BODY')
  })
  await test.step('stopped with a queue, the event page sends it after it wakes', async () => {
    line.cut()
    await popup.press('Collect this article')
    await expectText(popup, '1 collected')
    // A capture that is still being made when the event page stops is lost, and the popup says so.
    await expectText(popup, 'A capture of this page waits to be sealed')
    await firefox.stopBackground()
    expect(await recordsOf(eve, 'blog')).toEqual([])
    line.restore()
    await popup.evaluate(() => chrome.alarms.create('send', { when: Date.now() }))
    await expect.poll(async () => (await recordsOf(eve, 'blog')).length).toBe(1)
    await expect.poll(async () => (await captures(eve)).map(({ state }) => state)).toEqual(['sealed'])
  })
  await firefox.close()
  line.stop()
  await sites.stop()
})
