import { campaignsApi, iodsApi } from '@iodine/contracts'
import type { Page, Worker } from '@playwright/test'
import {
  type Collector,
  fireAlarm,
  launchCollector,
  pressSwitch,
  signIn,
  startLine,
  startSites,
} from '../support/collector.js'
import { expect, type Person, test } from '../support/fixtures.js'
import { openIodForm, pressCreateIod } from '../support/iod-form.js'
import { isUnderlined, spyOn } from '../support/underlines.js'

const HOST = 'blog.example.org'
const HOSTS = [HOST, 'evil.example.org']
const address = (path: string, host = HOST) => `https://${host}/${path}`
const html = (body: string, head = '') =>
  `<!doctype html><html lang="en"><head><title>Paper</title>${head}</head><body>${body}</body></html>`

const createIods = (who: Person, values: readonly string[]) =>
  Promise.all(
    values.map(value =>
      who.api.call(iodsApi.createIod, {
        body: { value, category: 'SENTENCE', description: '', source_type: 'MANUAL' },
      }),
    ),
  )

/** Switches marking on for the page's site, and waits for the download of the known IODs. */
const markSite = async (popup: Page, host = HOST) => {
  await pressSwitch(popup, `Mark known IODs on ${host}`)
  await expect(popup.getByLabel(`Mark known IODs on ${host}`)).toBeChecked()
  await expect(popup.getByText('Known IODs are being downloaded…')).toHaveCount(0)
}

/** Returns the words that the popup lists as known on the page. */
const listed = (popup: Page) =>
  popup.getByRole('region', { name: 'Known IODs on this page' }).getByRole('link').allTextContents()

/** Repeats the download until the popup lists these words: the server batches changes. */
const expectListed = async (popup: Page, collector: Collector, words: readonly string[]) => {
  const worker = await collector.worker()
  await expect(async () => {
    await fireAlarm(worker)
    await expect.poll(() => listed(popup), { timeout: 1_500 }).toEqual(words)
  }).toPass()
}

/** Returns the known words that the collector has found on the page of a tab. */
const foundOn = (worker: Worker, url: string): Promise<string[]> =>
  worker.evaluate(async address => {
    const [tab] = (await chrome.tabs.query({})).filter(each => each.url === address)
    const report = await chrome.tabs.sendMessage(tab?.id ?? 0, { order: 'found' }).catch(() => undefined)
    return (report?.found ?? []).map(({ text }: { text: string }) => text)
  }, url)

test('the browser sends the same bytes for different pages', { tag: '@long' }, async ({ app, person }) => {
  const ana = await person('reads')
  const mark = Date.now().toString(36)
  const known = Array.from({ length: 10 }, (_, n) => `reader ${mark} number ${n}`)
  await createIods(ana, known)
  const sites = await startSites()
  sites.serve(address('all'), html(known.map(value => `<p>${value}</p>`).join('')))
  const pages = { quiet: 'The weather is fine.', secret: 'My diagnosis is a secret of mine.' }
  for (const [kind, text] of Object.entries(pages))
    for (const [n, value] of known.entries())
      sites.serve(address(`${kind}/${n}`), html(`<p>${text.repeat(n + 1)}</p><p>They say: ${value}.</p>`))

  const line = await startLine(app.url)
  const collector = await launchCollector({ sites, hosts: HOSTS, app: app.url, server: line.url })
  const { page, popup } = await collector.open(address('all'))
  await signIn(popup, ana)
  await markSite(popup)
  await expectListed(popup, collector, known)

  const worker = await collector.worker()
  const requests = () => line.sent().match(/^(GET|POST) \S*/gm) ?? []
  // Downloads of the previous wait may still be pending: repeat until exactly one download is sent.
  await expect(async () => {
    line.clear()
    await fireAlarm(worker)
    await expect
      .poll(async () => [await worker.evaluate(() => chrome.alarms.getAll()), requests()], { timeout: 5_000 })
      .toEqual([
        [],
        [expect.stringContaining('/iods/overlay?'), expect.stringContaining('/campaigns/overlay')],
      ])
  }).toPass()
  const sent: Record<string, string> = {}
  for (const kind of Object.keys(pages)) {
    line.clear()
    for (const [n, value] of known.entries()) {
      await page.goto(address(`${kind}/${n}`))
      await expect.poll(() => foundOn(worker, page.url()), { intervals: [50] }).toEqual([value])
    }
    expect(line.sent()).toBe('')
    await fireAlarm(worker)
    await expect.poll(() => line.sent().match(/GET /g)?.length).toBe(2)
    sent[kind] = line.sent()
  }
  expect(sent.secret).toBe(sent.quiet)
  expect(sent.quiet).toMatch(/^GET \/api\/v1\/iods\/overlay\?since=\d+ /m)
  expect(sent.quiet).toMatch(/^GET \/api\/v1\/campaigns\/overlay /m)
  for (const word of ['reader', 'weather', 'diagnosis', HOST]) expect(sent.secret).not.toContain(word)

  await collector.close()
  line.stop()
  await sites.stop()
})

test('underlines follow scrolling, zooming and changes of the page, and disappear when switched off', {
  tag: '@long',
}, async ({ app, person }) => {
  const ana = await person('scrolls')
  const mark = Date.now().toString(36)
  const [first, second, hidden] = [`boiling lakes ${mark}`, `drained lakes ${mark}`, `covered lakes ${mark}`]
  await createIods(ana, [first, second, hidden])
  const sites = await startSites()
  sites.serve(
    address('lakes'),
    html(
      `<p>Nothing</p><p id="one">Of <b>boiling</b>
        LAKES ${mark} they <i>speak</i>.</p>
      <form id="form"><input name="matches"><input name="closest"><p>In a form: ${second}</p></form>
      <div id="scroller" style="height: 120px; overflow: auto"><div style="height: 300px"></div>
      <p id="deep">Here: ${second}</p><div style="height: 300px"></div></div>
      <p id="under">Beneath: ${hidden}</p><p style="opacity: 0" id="faint">Faint: ${hidden}</p>
      <textarea>${first}</textarea><p contenteditable>${first}</p>
      <div style="height: 2000px"></div><p id="last">At last: ${first}</p>
      <div id="cover" style="position: fixed; inset: 0; background: white; display: none">Cover</div>`,
    ),
  )
  const collector = await launchCollector({ sites, hosts: HOSTS, app: app.url })
  const { page, popup } = await collector.open(address('lakes'))
  await signIn(popup, ana)
  await markSite(popup)
  await expectListed(popup, collector, [`boiling LAKES ${mark}`, second, hidden])
  await page.bringToFront()
  const underlined = (selector: string, words: string) => () => isUnderlined(page, selector, words)
  const [one, deep, last] = [`boiling\n        LAKES ${mark}`, second, first]

  await test.step('underlines words across elements and in forms, but not editable or invisible ones', async () => {
    await expect.poll(underlined('#one', one)).toBe(true)
    await expect.poll(underlined('#form', second)).toBe(true)
    await expect.poll(underlined('#under', hidden)).toBe(true)
    expect(await isUnderlined(page, '#one', 'they')).toBe(false)
    // The check for covered words has a time budget per drawing: on a busy machine, a later drawing applies it.
    await expect.poll(underlined('#faint', hidden)).toBe(false)
    expect(await isUnderlined(page, '[contenteditable]', first)).toBe(false)
  })
  await test.step('follows scrolling of an element and of the page, and a resize', async () => {
    await page.locator('#scroller').evaluate(element => element.scrollBy(0, 260))
    await expect.poll(underlined('#deep', deep)).toBe(true)
    await page.locator('#scroller').evaluate(element => element.scrollBy(0, 30))
    await expect.poll(underlined('#deep', deep)).toBe(true)
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
    await expect.poll(underlined('#last', last)).toBe(true)
    await page.evaluate(() => scrollTo(0, 0))
    await page.evaluate(() => document.documentElement.style.setProperty('zoom', '1.5'))
    await expect.poll(underlined('#one', one)).toBe(true)
    await page.evaluate(() => document.documentElement.style.removeProperty('zoom'))
    await page.setViewportSize({ width: 390, height: 844 })
    await expect.poll(underlined('#under', hidden)).toBe(true)
    await page.setViewportSize({ width: 1280, height: 800 })
  })
  await test.step('follows added, changed and covered words', async () => {
    await page.evaluate(text => {
      const added = document.createElement('section')
      added.innerHTML = '<p id="added"></p>'
      document.body.prepend(added)
      document.querySelector('#added')?.append(`New: ${text}`)
    }, second)
    await expect.poll(underlined('#added', second)).toBe(true)
    await expect.poll(underlined('#one', one)).toBe(true)
    await page.locator('#added').evaluate(element => {
      ;(element.firstChild as Text).data = 'Other words stand here by now'
    })
    await expect.poll(underlined('#added', 'Other words stand here')).toBe(false)
    await page.locator('#cover').evaluate(element => element.style.setProperty('display', 'block'))
    await expect.poll(underlined('#one', one)).toBe(false)
    await page.locator('#cover').evaluate(element => element.remove())
    await expect.poll(underlined('#one', one)).toBe(true)
  })
  await test.step('switching off removes the underlines and leaves the page unchanged', async () => {
    await pressSwitch(popup, `Mark known IODs on ${HOST}`)
    await expect.poll(() => page.evaluate(() => document.documentElement.children.length)).toBe(2)
    expect(await isUnderlined(page, '#one', one)).toBe(false)
    await expect(popup.getByRole('region', { name: 'Known IODs on this page' })).toHaveCount(0)
  })
  await collector.close()
  await sites.stop()
})

test('a page can detect that it is marked, but not which words are known', {
  tag: '@long',
}, async ({ app, person }) => {
  const eve = await person('spies')
  const mark = Date.now().toString(36)
  const [known, unknown] = [`known words ${mark}`, `other words ${mark}`]
  await createIods(eve, [known])
  const sites = await startSites()
  for (const [path, words] of [
    ['known', known],
    ['other', unknown],
  ])
    sites.serve(
      address(path as string, 'evil.example.org'),
      html(
        `<p id="words">${words}</p><p>${'Filling. '.repeat(50)}</p>`,
        '<style>p { font: 20px monospace }</style>',
      ),
    )
  const collector = await launchCollector({ sites, hosts: HOSTS, app: app.url })
  const seen: Record<string, unknown> = {}
  for (const path of ['known', 'other']) {
    const { page, popup } = await collector.open(address(path, 'evil.example.org'))
    if (path === 'known') await signIn(popup, eve)
    if (path === 'known') await markSite(popup, 'evil.example.org')
    else await expect(popup.getByText(/^None of [\d,]+ known IODs is on this page\.$/)).toBeVisible()
    if (path === 'known') await expectListed(popup, collector, [known])
    await page.bringToFront()
    const spy = await spyOn(page)
    const words = path === 'known' ? known : unknown
    // Hover the words, which opens the card; then change, scroll and restore the page.
    const box = (await page.locator('#words').boundingBox()) ?? { x: 0, y: 0, height: 0 }
    await page.mouse.move(box.x + 40, box.y + box.height / 2)
    if (path === 'known') {
      await expect.poll(() => isUnderlined(page, '#words', words)).toBe(true)
      await expect.poll(() => spy.isCardAt(box.x, box.y + box.height + 30)).toBe(true)
    }
    seen[path] = await spy.report()
  }
  expect(seen.known).toEqual(seen.other)
  await collector.close()
  await sites.stop()
})

test('hovering opens the card, a click pins it with links into the app, and a new IOD is marked immediately', {
  tag: '@long',
}, async ({ app, person }) => {
  const [ana, bo] = await Promise.all([person('points'), person('votes')])
  const mark = Date.now().toString(36)
  const [value, fresh] = [`pointed words ${mark}`, `selected words ${mark}`]
  const [iod] = await createIods(bo, [value])
  const id = iod?.id ?? ''
  await ana.api.call(iodsApi.voteIod, { params: { id }, body: { vote_type: 'POSITIVE' } })
  const campaign = await bo.api.call(campaignsApi.createCampaign, {
    body: { name: `<b>Lakes</b> ${mark}`, description: '' },
  })
  await bo.api.call(campaignsApi.addIod, { params: { id: campaign.id }, body: { iod_id: id } })
  const sites = await startSites()
  sites.serve(address('point'), html(`<p id="words">${value}</p><p id="new">${fresh}</p><p>And so on.</p>`))
  const collector = await launchCollector({ sites, hosts: HOSTS, app: app.url })
  const { page, popup } = await collector.open(address('point'))
  await signIn(popup, ana)
  await markSite(popup)
  await expectListed(popup, collector, [value])

  await test.step('the popup lists it with its votes and a link into the app', async () => {
    const region = popup.getByRole('region', { name: 'Known IODs on this page' })
    await expect(region.getByRole('listitem')).toHaveText([`${value}SENTENCE, 1 for, 0 against`])
    await expect(region.getByRole('link')).toHaveAttribute('href', `${app.url}/dashboard/iods/${id}`)
  })
  await test.step('a click on the words, and Enter on the first link, open the IOD', async () => {
    await page.bringToFront()
    await expect.poll(() => isUnderlined(page, '#words', value)).toBe(true)
    await page.locator('#words').click({ position: { x: 30, y: 8 } })
    const opening = collector.context.waitForEvent('page')
    await page.keyboard.press('Enter')
    const opened = await opening
    await expect.poll(() => opened.url()).toContain(`/dashboard/iods/${id}`)
    await opened.close()
  })
  await test.step('selected words become an IOD and are underlined', async () => {
    await openIodForm(page, fresh)
    await pressCreateIod(page)
    await expect.poll(() => isUnderlined(page, '#new', fresh)).toBe(true)
    await expect.poll(() => listed(popup)).toEqual([value, fresh])
  })
  await test.step('switching off in the options, or signing out, removes the marks in open pages', async () => {
    const options = await collector.context.newPage()
    await options.goto(new URL('options.html', popup.url()).href)
    const isMarked = async () => {
      await page.bringToFront()
      return isUnderlined(page, '#words', value)
    }
    await options.bringToFront()
    await pressSwitch(options, 'Mark known IODs')
    await expect.poll(isMarked).toBe(false)
    await options.bringToFront()
    await pressSwitch(options, 'Mark known IODs')
    await expect.poll(isMarked).toBe(true)
    await popup.getByRole('button', { name: 'Sign out' }).click()
    await expect.poll(isMarked).toBe(false)
  })
  await collector.close()
  await sites.stop()
})
