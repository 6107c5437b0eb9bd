import { createHash } from 'node:crypto'
import { authApi, capturesApi, collectorApi, iodsApi, naturalKey, type Source } from '@iodine/contracts'
import { apiClient } from '@iodine/test-kit'
import type { Page } from '@playwright/test'
import {
  type Fixture,
  fireAlarm,
  fixture,
  launchCollector,
  listFixture,
  pressSwitch,
  signIn,
  startLine,
  startSites,
} from '../support/collector.js'
import { expect, type Person, selectWithMouse, test } from '../support/fixtures.js'
import { isUnderlined } from '../support/underlines.js'

const HOSTS = ['*.tiktok.com', 't.me', 'blog.example.org', 'evil.example.org']

const recordsOf = async (who: Person, source: Source) => {
  const records = await who.api.call(collectorApi.listRecords, { params: { source } })
  return records.map(({ id: _, ...record }) => record as Record<string, unknown>)
}

/** Returns a record without its collection time. */
const timeless = ({ collector_metadata, ...content }: Record<string, unknown>) => ({
  ...content,
  source: (collector_metadata as { source: string }).source,
})

const isSamePost = (source: Source, one: unknown, other: unknown) =>
  naturalKey[source](one as never) === naturalKey[source](other as never)

/** Returns the texts of a record without times, which My data formats. */
const textsOf = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value].filter(text => !/^\d{4}-\d{2}-\d{2}T/.test(text))
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, inner]) => (key === 'collector_metadata' ? [] : textsOf(inner)))
      : []

test('a user signs in by code, collects the three kinds of pages, and finds each field in My data', {
  tag: '@long',
}, async ({ app, person, openAs, page }) => {
  const ana = await person('collects')
  const sites = await startSites()
  const collector = await launchCollector({ sites, hosts: HOSTS, app: app.url })
  const picture = Buffer.from('a picture, for all that the browser knows')
  const big = fixture('tiktok', 'video')
  const ballast = JSON.stringify(Array.from({ length: 60_000 }, (_, n) => `${n} `.repeat(9)))
  big.html = big.html.replace('"__DEFAULT_SCOPE__": {', `"__DEFAULT_SCOPE__": {"ballast": ${ballast},`)
  expect(big.html.length).toBeGreaterThan(3_000_000)

  const { popup } = await collector.open('about:blank')
  await test.step('a valid code signs in once; used and replaced codes are rejected', async () => {
    const { code } = await ana.api.call(authApi.generateExtensionCode)
    const used = await signIn(popup, ana)
    for (const dead of [code, used]) {
      await popup.getByRole('button', { name: 'Sign out' }).click()
      await popup.getByLabel('Extension code').fill(dead)
      await popup.getByRole('button', { name: 'Sign in' }).click()
      await expect(popup.getByRole('alert')).toHaveText('This code is invalid or has expired')
      await signIn(popup, ana)
    }
  })

  const collect = async (source: Source, { url, html, own, all }: Fixture, button: string) => {
    sites.serve(url, html)
    const { popup } = await collector.open(url)
    await popup.getByRole('button', { name: button }).click()
    await expect(popup.getByText(/^\d+ collected$/)).toBeVisible()
    const truth = button.startsWith('Collect all') ? all : [own]
    // Several pages of a post make one record, which keeps the fields of earlier pages.
    for (const record of truth as Record<string, unknown>[])
      await expect
        .poll(async () =>
          (await recordsOf(ana, source)).filter(stored => isSamePost(source, stored, record)).map(timeless),
        )
        .toMatchObject([timeless(record)])
  }

  await test.step('reads short videos: sound, old, renamed, without state, with 3 MB of state', async () => {
    await collect('tiktok', fixture('tiktok', 'grid'), 'Collect all visible posts')
    for (const name of ['no-state', 'renamed', 'sigi-state', 'hostile-text'])
      await collect('tiktok', fixture('tiktok', name), 'Collect this post')
    await collect('tiktok', big, 'Collect this post')
  })
  await test.step('reads channel posts: one of several, all of them, renamed classes', async () => {
    for (const name of ['several', 'renamed', 'hostile', 'document'])
      await collect('telegram', fixture('telegram', name), 'Collect all visible posts')
    await collect('telegram', fixture('telegram', 'single'), 'Collect this post')
  })
  await test.step('reads articles: sound, graph, broken JSON-LD, with pictures', async () => {
    for (const name of ['broken-json-ld', 'graph'])
      await collect('blog', fixture('blog', name), 'Collect this article')
    const withPictures = fixture('blog', 'images')
    sites.serve('https://blog.example.org/a.png', picture, 'image/png')
    // One of the two pictures is unreadable and therefore omitted.
    const sha256 = createHash('sha256').update(picture).digest('hex')
    const own = { ...withPictures.own, imageHashes: { 'https://blog.example.org/a.png': sha256 } }
    await collect('blog', { ...withPictures, own }, 'Collect this article')
    await collect('blog', fixture('blog', 'article'), 'Collect this article')
  })
  await test.step('shows that a page has no post', async () => {
    const { url, html } = fixture('tiktok', 'for-you')
    sites.serve(url, html)
    const { popup } = await collector.open(url)
    await popup.getByRole('button', { name: 'Collect this post' }).click()
    await expect(popup.getByRole('alert')).toHaveText(
      'No post was found on this page: open a single post or article, then collect it',
    )
  })
  await collector.close()
  await sites.stop()

  await test.step('My data shows every text of the newest record of each kind', async () => {
    await openAs(ana, '/dashboard/data')
    for (const [source, tab] of [
      ['tiktok', 'Short videos'],
      ['telegram', 'Messaging channels'],
      ['blog', 'Blogs'],
    ] as const) {
      await page.getByRole('tab', { name: tab }).click()
      const [newest] = await recordsOf(ana, source)
      const texts = textsOf(newest)
      expect(texts.length).toBeGreaterThan(3)
      const panel = page.getByRole('tabpanel').filter({ visible: true })
      for (const text of texts) await expect(panel).toContainText(text)
    }
  })
})

test('records collected offline are sent later, once; a revoked session keeps them for the next sign-in', {
  tag: '@long',
}, async ({ app, person }) => {
  const ben = await person('offline')
  const sites = await startSites()
  const line = await startLine(app.url)
  const collector = await launchCollector({ sites, hosts: HOSTS, app: app.url, server: line.url })
  const { url, html, all } = fixture('telegram', 'several')
  sites.serve(url, html)
  const collectAll = (popup: Page) => popup.getByRole('button', { name: 'Collect all visible posts' }).click()
  const stored = async () => (await recordsOf(ben, 'telegram')).map(timeless)

  await test.step('keeps records offline, across a restart of the browser', async () => {
    const { popup } = await collector.open(url)
    await signIn(popup, ben)
    line.cut()
    await collectAll(popup)
    await expect(popup.getByText('3 waiting')).toBeVisible()
    await expect(popup.getByText(`${line.url} can’t be reached: `)).toBeVisible()
    expect(await stored()).toEqual([])
    await collector.restart()
  })
  const { popup } = await collector.open(url)
  await test.step('sends them once online', async () => {
    await expect(popup.getByText('3 waiting')).toBeVisible()
    // The collector also retries by itself: the button is shown until a request succeeds.
    line.hold()
    await popup.getByRole('button', { name: 'Send now' }).click()
    line.restore()
    await expect(popup.getByText('3 accepted')).toBeVisible()
    await expect(popup.getByText('0 waiting')).toBeVisible()
    expect((await stored()).length).toBe(all.length)
    expect(await stored()).toEqual(expect.arrayContaining(all.map(timeless)))
  })
  await test.step('collecting twice changes nothing', async () => {
    const before = await recordsOf(ben, 'telegram')
    await collectAll(popup)
    await expect(popup.getByText('3 unchanged')).toBeVisible()
    expect(await recordsOf(ben, 'telegram')).toEqual(before)
    // Captures of both collections, before and after the restart, follow their records.
    await expect
      .poll(async () => {
        const captures = await ben.api.call(capturesApi.listCaptures, { query: {} })
        return captures.map(({ state }) => state)
      })
      .toEqual(Array.from({ length: 6 }, () => 'sealed'))
    await expect(popup.getByText('waiting to be sealed')).toHaveCount(0)
  })
  await test.step('keeps records after the session is revoked', async () => {
    const token = await (await collector.worker()).evaluate(
      () =>
        new Promise<string>(resolve => {
          const opening = indexedDB.open('iodine')
          opening.onsuccess = () => {
            const reading = opening.result.transaction('settings').objectStore('settings').get('account')
            reading.onsuccess = () => resolve(reading.result.token)
          }
        }),
    )
    await apiClient(app.url, token).call(authApi.logout)
    const other = fixture('telegram', 'text')
    sites.serve(other.url, other.html)
    const { popup } = await collector.open(other.url)
    await collectAll(popup)
    await expect(popup.getByText('Your session has ended. Sign in again')).toBeVisible()
    await expect(popup.getByText('1 waiting')).toBeVisible()
    await signIn(popup, ben)
    await expect(popup.getByText('0 waiting')).toBeVisible()
    expect(await stored()).toContainEqual(timeless(other.all[0] as Record<string, unknown>))
  })
  await collector.close()
  line.stop()
  await sites.stop()
})

test('the extension keeps collecting until stopped and marks known values; a page can trigger none of it', {
  tag: '@long',
}, async ({ app, person }) => {
  const eve = await person('hostile')
  const sites = await startSites()
  const collector = await launchCollector({ sites, hosts: HOSTS, app: app.url })
  const [known, unknown] = [`the drained lake ${Date.now()}`, `@sneaky.${Date.now()}`]
  await eve.api.call(iodsApi.createIod, {
    body: { value: known, category: 'SENTENCE', description: '', source_type: 'MANUAL' },
  })

  await test.step('collects lists that the page fetches while it is switched on', async () => {
    const feed = fixture('tiktok', 'for-you')
    sites.serve(feed.url, feed.html)
    const [profile, related] = [listFixture('profile'), listFixture('related')]
    sites.serve(profile.url, JSON.stringify(profile.body), 'application/json')
    sites.serve(related.url, JSON.stringify(related.body).replaceAll('"74230', '"75550'), 'application/json')
    const { page, popup } = await collector.open(feed.url)
    await signIn(popup, eve)
    const load = (address: string) => page.evaluate(async to => (await fetch(to)).text(), address)
    const keep = popup.getByLabel('Keep collecting on this page')
    await load(related.url)
    await pressSwitch(popup, 'Keep collecting on this page')
    await expect(keep).toBeChecked()
    await expect.poll(() => page.evaluate(() => Symbol.for('iodine.lists') in window)).toBe(true)
    await load(profile.url)
    await expect(popup.getByText('2 accepted')).toBeVisible()
    expect((await recordsOf(eve, 'tiktok')).map(timeless)).toEqual(
      expect.arrayContaining(profile.all.map(timeless)),
    )
    await pressSwitch(popup, 'Keep collecting on this page')
    await expect(keep).not.toBeChecked()
    await load(related.url)
    expect(await recordsOf(eve, 'tiktok')).toHaveLength(2)
  })

  const address = 'https://evil.example.org/post'
  sites.serve(
    address,
    `<!doctype html><html lang="en"><head><title>Evil</title></head><body>
    <p id="known">They speak of the ${known} again</p><p id="new">${unknown}</p>
    <p id="state" data-post="x/1">nothing</p></body></html>`,
  )
  const { page, popup } = await collector.open(address)
  const { id: extensionId } = await (await collector.worker()).evaluate(() => ({ id: chrome.runtime.id }))

  await test.step('marks known values and adds only one empty element to the page', async () => {
    const before = await page.content()
    await pressSwitch(popup, 'Mark known IODs on evil.example.org')
    await page.bringToFront()
    const worker = await collector.worker()
    await expect
      .poll(async () => {
        await fireAlarm(worker)
        return isUnderlined(page, '#known', known)
      })
      .toBe(true)
    const drawn = page.locator(':root > :last-child')
    expect(
      await drawn.evaluate(element => [element.nodeName, element.shadowRoot, element.innerHTML]),
    ).toEqual(['DIV', null, ''])
    const after = await page.evaluate(() => document.documentElement.lastElementChild?.outerHTML ?? '')
    expect((await page.content()).replace(after, '')).toBe(before)
  })

  await test.step('a page can’t read the marks, collect or press the button', async () => {
    await page.bringToFront()
    const tried = await page.evaluate(async id => {
      const found: string[] = []
      const runtime = (globalThis as unknown as { chrome?: { runtime?: object } }).chrome?.runtime
      if (runtime && 'sendMessage' in runtime) found.push('runtime')
      for (const file of ['deployment.json', 'popup.html', 'background.js', 'content.js'])
        await fetch(`chrome-extension://${id}/${file}`).then(
          () => found.push(file),
          () => {},
        )
      for (const { name } of await indexedDB.databases()) found.push(`database ${name}`)
      if (JSON.stringify({ ...localStorage, ...sessionStorage }).length > 2) found.push('storage')
      for (const name of ['iodineCollector', 'browser']) if (name in globalThis) found.push(name)
      for (const name of ['captured', 'collected', 'collect', 'createIod', 'quoteIod', 'signOut'])
        for (const message of [
          { name },
          { order: name, what: 'all' },
          { iodine: 'list', url: location.href, text: '{}' },
        ]) {
          window.postMessage(message, '*')
          document.dispatchEvent(new CustomEvent('iodine', { detail: message }))
        }
      for (const element of document.querySelectorAll('*')) if (element.shadowRoot) found.push('shadow root')
      const range = document.createRange()
      range.selectNodeContents(document.getElementById('new') as HTMLElement)
      getSelection()?.addRange(range)
      for (const type of ['pointerup', 'keyup']) document.dispatchEvent(new Event(type))
      await new Promise(resolve => setTimeout(resolve, 100))
      if (document.querySelector('[popover]')) found.push('button for a selection that nobody made')
      getSelection()?.removeAllRanges()
      return found
    }, extensionId)
    expect(tried).toEqual([])
    await expect(popup.getByText('0 waiting')).toBeVisible()
    expect(await recordsOf(eve, 'blog')).toEqual([])
    expect(await eve.api.call(iodsApi.listIods, { query: { q: unknown } })).toEqual([])
  })

  await test.step('accepts a user’s click, but no synthetic click and no click on a covered button', async () => {
    await selectWithMouse(page, unknown)
    const box = (await page.locator('#new').boundingBox()) ?? { x: 0, y: 0, height: 0 }
    // The button is below the start of the selection.
    const at = { x: box.x + 20, y: box.y + box.height + 18 }
    const button = page.locator(':root > [popover]')
    await expect(button).toBeVisible()
    const before = await button.boundingBox()
    const isInView = (wanted: boolean) =>
      button.evaluate(
        (host, expected) =>
          new Promise<void>(resolve => {
            const options = { trackVisibility: true, delay: 100, threshold: [0, 1] }
            const watcher = new IntersectionObserver(entries => {
              if ((entries.at(-1) as unknown as { isVisible: boolean }).isVisible !== expected) return
              watcher.disconnect()
              resolve()
            }, options)
            watcher.observe(host)
          }),
        wanted,
      )
    const pressedByPage = await button.evaluate(host => {
      for (const type of ['pointerdown', 'pointerup', 'click', 'submit'])
        host.dispatchEvent(new MouseEvent(type, { bubbles: true, composed: true, clientX: 1, clientY: 1 }))
      ;(host as HTMLElement).click()
      return { root: host.shadowRoot, text: host.textContent, children: host.childNodes.length }
    })
    expect(pressedByPage).toEqual({ root: null, text: '', children: 0 })
    await page.evaluate(() => {
      const cover = document.createElement('div')
      cover.id = 'cover'
      cover.popover = 'manual'
      cover.textContent = 'Win a prize'
      cover.style.cssText = 'inset: 0; width: 100vw; height: 100vh; pointer-events: none'
      document.body.append(cover)
      cover.showPopover()
    })
    await isInView(false)
    await page.mouse.click(at.x, at.y)
    expect(await button.boundingBox()).toEqual(before)
    await page.evaluate(() => document.getElementById('cover')?.remove())
    // The button's observer may report up to 100 ms after the test's.
    await expect(async () => {
      if (((await button.boundingBox())?.height ?? 0) <= 200) await page.mouse.click(at.x, at.y)
      await expect
        .poll(async () => (await button.boundingBox())?.height, { timeout: 1_000 })
        .toBeGreaterThan(200)
    }).toPass()
    for (const _ of ['category', 'description', 'cancel', 'create']) await page.keyboard.press('Tab')
    await isInView(true)
    // Retried for the same reason: keys have no effect until the button's observer has reported.
    await expect(async () => {
      await page.keyboard.press('Enter')
      await expect(button).toHaveCount(0, { timeout: 1_000 })
    }).toPass()
    await expect
      .poll(() => eve.api.call(iodsApi.listIods, { query: { q: unknown } }))
      .toMatchObject([
        {
          value: unknown,
          category: 'USERNAME',
          source_type: 'BLOG',
          source: address,
          description: 'Seen on evil.example.org: Evil',
        },
      ])
  })
  await collector.close()
  await sites.stop()
})

test('a collector that the browser stops during work reports it, and collects nothing twice', {
  tag: '@long',
}, async ({ app, person }) => {
  const ida = await person('stopped')
  const sites = await startSites()
  const collector = await launchCollector({ sites, hosts: HOSTS, app: app.url })
  const several = fixture('telegram', 'several')
  sites.serve(several.url, several.html)
  const { page, popup } = await collector.open(several.url)
  await signIn(popup, ida)
  const browser = await collector.context.newCDPSession(page)
  await browser.send('ServiceWorker.enable')
  const button = popup.getByRole('button', { name: 'Collect all visible posts' })
  await button.click()
  await browser.send('ServiceWorker.stopAllWorkers')
  await expect(
    popup.getByText(
      /^\d+ collected$|^The browser stopped the collector while it was working: press the button again/,
    ),
  ).toBeVisible()
  await button.click()
  await expect(popup.getByText(/^\d+ collected$/)).toBeVisible()
  await expect.poll(async () => (await recordsOf(ida, 'telegram')).length).toBe(several.all.length)
  await collector.close()
  await sites.stop()
})
