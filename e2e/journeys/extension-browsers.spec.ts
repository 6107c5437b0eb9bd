import { capturesApi, evidenceApi, iodsApi } from '@iodine/contracts'
import type { Page } from '@playwright/test'
import { type BrowserPage, evaluateIn, expectText, pressIn, textOf } from '../support/browser-page.js'
import { PIXEL } from '../support/captures.js'
import { fixture, signIn, startLine, startSites } from '../support/collector.js'
import { article, BROWSERS, capturesOf, drive, recordsOf } from '../support/collector-driver.js'
import { FIREFOX, launchInFirefox } from '../support/firefox.js'
import { expect, test } from '../support/fixtures.js'
import { openIodForm, pressCreateIod } from '../support/iod-form.js'
import { isUnderlined } from '../support/underlines.js'

/** Returns whether the popup's switch Keep collecting is on. */
const isOn = (popup: BrowserPage) =>
  evaluateIn(popup, () => document.querySelector<HTMLInputElement>('input[type=checkbox]')?.checked)

/** Returns the texts of Chromium's page, including those in closed shadow roots. */
const closedTexts = async (page: Page): Promise<string> => {
  const session = await page.context().newCDPSession(page)
  const tree = await session.send('DOM.getDocument', { depth: -1, pierce: true })
  await session.detach()
  return JSON.stringify(tree)
}

for (const browser of BROWSERS)
  test.describe(browser, () => {
    test.skip(browser === 'Firefox' && !FIREFOX, 'no Firefox on this machine')

    test('collects and seals the three sources, and signs out', { tag: '@long' }, async ({ app, person }) => {
      const ana = await person('browsers')
      const sites = await startSites()
      const collector = await drive(browser, { sites, server: app.url })
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
        await pressIn(popup, button)
        await expectText(popup, '1 collected')
        await expectText(popup, '0 waiting')
        await expectText(popup, '0 refused')
        await expect.poll(async () => (await recordsOf(ana, source)).length).toBe(1)
        await expectText(popup, /Sealed as no\. [\d,]+/)
        if (source === 'blog') {
          await pressIn(popup, 'Sign out')
          await expectText(popup, 'Extension code')
        }
      }
      expect((await capturesOf(ana)).map(({ state }) => state)).toEqual(['sealed', 'sealed', 'sealed'])
      await collector.close()
      await sites.stop()
    })

    test('marks known IODs, and turns selected words into an IOD with evidence and a screenshot', {
      tag: '@long',
    }, async ({ app, person }) => {
      const [cleo, dan] = await Promise.all([person('selects'), person('knows')])
      const mark = Date.now().toString(36)
      const [known, fresh] = [`drained lakes ${mark}`, `boiling lakes ${mark}`]
      await dan.api.call(iodsApi.createIod, {
        body: { value: known, category: 'SENTENCE', description: '', source_type: 'MANUAL' },
      })
      const sites = await startSites()
      const url = 'https://blog.example.org/lakes'
      sites.serve(`${url}.png`, PIXEL, 'image/png')
      sites.serve(
        url,
        article(
          `<p id="known">Of ${known}.</p><p id="fresh">They say: ${fresh}.</p><img src="${url}.png" alt="">`,
        ),
      )
      const collector = await drive(browser, { sites, server: app.url })
      const { page, popup } = await collector.open(url)
      await signIn(popup, cleo)
      await pressIn(popup, 'Mark known IODs on blog.example.org')
      await page.bringToFront()
      await expect
        .poll(async () => {
          await evaluateIn(popup, () => chrome.alarms.create('overlay', { when: Date.now() }))
          return isUnderlined(page, '#known', known)
        })
        .toBe(true)

      await openIodForm(page, fresh)
      await pressCreateIod(page)
      await expect
        .poll(async () => (await cleo.api.call(iodsApi.listIods, { query: { q: fresh } })).length)
        .toBe(1)
      const [created] = await cleo.api.call(iodsApi.listIods, { query: { q: fresh } })
      await expect
        .poll(() => cleo.api.call(evidenceApi.listEvidence, { params: { id: created?.id ?? '' }, query: {} }))
        .toMatchObject([{ kind: 'capture', role: 'text', exact: fresh, url }])
      await expect.poll(() => isUnderlined(page, '#fresh', fresh)).toBe(true)

      await pressIn(popup, 'Collect this article')
      // The first capture is that of the quote.
      await expect
        .poll(async () => (await capturesOf(cleo)).map(({ state }) => state))
        .toEqual(['sealed', 'sealed'])
      const [{ id } = { id: '' }] = await capturesOf(cleo)
      const { manifest } = await cleo.api.call(capturesApi.getCapture, { params: { id } })
      expect(manifest.blobs.map(({ role }) => role)).toEqual(['text', 'dom', 'record', 'screenshot', 'media'])
      await collector.close()
      await sites.stop()
    })

    test('keeps collecting on a page until it is switched off', { tag: '@long' }, async ({ app, person }) => {
      const fay = await person('keeps')
      const { url, html, all } = fixture('telegram', 'several')
      const sites = await startSites()
      sites.serve(url, html)
      const collector = await drive(browser, { sites, server: app.url })
      const { page, popup } = await collector.open(url)
      await signIn(popup, fay)
      await pressIn(popup, 'Keep collecting on this page')
      await page.bringToFront()
      await expect.poll(async () => (await recordsOf(fay, 'telegram')).length).toBe(all.length)
      const addPost = (id: number) =>
        evaluateIn(
          page,
          number => {
            const posts = [...document.querySelectorAll('.tgme_widget_message_wrap')]
            const copy = posts.at(-1)?.cloneNode(true) as HTMLElement
            const message = copy.querySelector('[data-post]')
            const post = message?.getAttribute('data-post') ?? ''
            copy.innerHTML = copy.innerHTML.replaceAll(post, post.replace(/\d+$/, String(number)))
            posts.at(-1)?.after(copy)
          },
          id,
        )
      await addPost(900_001)
      await expect.poll(async () => (await recordsOf(fay, 'telegram')).length).toBe(all.length + 1)
      await pressIn(popup, 'Keep collecting on this page')
      await expect.poll(() => isOn(popup)).toBe(false)
      await addPost(900_002)
      await evaluateIn(page, () => document.querySelector('[data-post$="/900002"]')?.parentElement?.remove())
      await addPost(900_003)
      await pressIn(popup, 'Keep collecting on this page')
      await expect.poll(async () => (await recordsOf(fay, 'telegram')).length).toBe(all.length + 2)
      const stored = JSON.stringify(await recordsOf(fay, 'telegram'))
      for (const id of ['900001', '900003']) expect(stored).toContain(id)
      expect(stored).not.toContain('900002')
      await collector.close()
      await sites.stop()
    })

    test('an update ends the old script of an open page, whose work continues with the new one', {
      tag: '@long',
    }, async ({ app, person }) => {
      const gil = await person('updates')
      const known = `drained lakes ${Date.now().toString(36)}`
      await gil.api.call(iodsApi.createIod, {
        body: { value: known, category: 'SENTENCE', description: '', source_type: 'MANUAL' },
      })
      const sites = await startSites()
      const url = 'https://blog.example.org/updated'
      sites.serve(url, article(`<p id="words">Of ${known}, and of words that are new.</p>`))
      const collector = await drive(browser, { sites, server: app.url })
      const { page, popup } = await collector.open(url)
      await signIn(popup, gil)
      await pressIn(popup, 'Mark known IODs on blog.example.org')
      await page.bringToFront()
      await expect
        .poll(async () => {
          await evaluateIn(popup, () => chrome.alarms.create('overlay', { when: Date.now() }))
          return isUnderlined(page, '#words', known)
        })
        .toBe(true)
      await openIodForm(page, 'words that are new')
      const errors: string[] = []
      ;(page as Page).on('pageerror', ({ message }) => errors.push(message))
      await collector.update()
      // The old script observes the page's changes.
      await evaluateIn(page, () => document.querySelector('main')?.append('More words'))
      // Firefox ends the old script, which can show nothing.
      if (browser === 'Chromium')
        await expect
          .poll(() => closedTexts(page as Page))
          .toContain('The collector was updated or removed: reload this page')
      const after = await collector.openPopup(page)
      expect(await evaluateIn(after, () => chrome.runtime.getManifest().version)).toMatch(/\.\d+\.\d+\.1$/)
      await pressIn(after, 'Collect this article')
      await expectText(after, '1 collected')
      await expect.poll(async () => (await recordsOf(gil, 'blog')).length).toBe(1)
      // Of the old script, only Chromium's note remains beside the marks of the new one.
      await expect.poll(() => isUnderlined(page, '#words', known)).toBe(true)
      await expect
        .poll(() => evaluateIn(page, () => document.querySelectorAll(':root > :not(head, body)').length))
        .toBe(browser === 'Chromium' ? 2 : 1)
      expect(errors).toEqual([])
      await collector.close()
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
  const drawn = () => evaluateIn(page, () => document.documentElement.lastElementChild?.nodeName ?? '')

  await test.step('refused: the site is not marked', async () => {
    await firefox.answerPermissions('block')
    await pressIn(popup, 'Mark known IODs on blog.example.org')
    await firefox.refuse()
    await expectText(popup, 'Marking IODs on blog.example.org requires your permission')
    expect(await drawn()).toBe('BODY')
  })
  await test.step('granted: known IODs are marked and listed', async () => {
    await firefox.answerPermissions('allow')
    await pressIn(popup, 'Mark known IODs on blog.example.org')
    await expect.poll(drawn).toBe('DIV')
    await expect
      .poll(async () => {
        await evaluateIn(popup, () => chrome.alarms.create('overlay', { when: Date.now() }))
        return textOf(popup)
      })
      .toContain(known)
  })
  await test.step('removed: the marks disappear', async () => {
    await firefox.revoke('https://blog.example.org/*')
    await expect.poll(drawn).toBe('BODY')
  })
  await test.step('stopped with a queue, the event page sends it after it wakes', async () => {
    line.cut()
    await pressIn(popup, 'Collect this article')
    await expectText(popup, '1 collected')
    // A capture that is still being made when the event page stops is lost, and the popup says so.
    await expectText(popup, 'A capture of this page waits to be sealed')
    await firefox.stopBackground()
    expect(await recordsOf(eve, 'blog')).toEqual([])
    line.restore()
    await evaluateIn(popup, () => chrome.alarms.create('send', { when: Date.now() }))
    await expect.poll(async () => (await recordsOf(eve, 'blog')).length).toBe(1)
    await expect.poll(async () => (await capturesOf(eve)).map(({ state }) => state)).toEqual(['sealed'])
  })
  await firefox.close()
  line.stop()
  await sites.stop()
})
