import { iodsApi, narrativesApi, profileApi } from '@iodine/contracts'
import { expect, type Page, test } from '../support/fixtures.js'
import { holdRequests } from '../support/hold-requests.js'
import { watchPolicy } from '../support/policy.js'

const FONTS = '**/static/font/*.woff2'
/** Maximum cumulative layout shift while a page loads. */
const SHIFT_MAX = 0.05

/** Sums the layout shifts of each document from its start. */
const watchShifts = (page: Page) =>
  page.addInitScript(() => {
    Object.assign(window, { shifted: 0 })
    new PerformanceObserver(list => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[])
        Object.assign(window, { shifted: (window as unknown as { shifted: number }).shifted + entry.value })
    }).observe({ type: 'layout-shift', buffered: true })
  })
const shiftOf = (page: Page) =>
  page.evaluate(async () => {
    // Browsers report a shift after its frame.
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame)
    return (window as unknown as { shifted: number }).shifted
  })
const isLoaded = (page: Page, text = 'a') =>
  page.evaluate(
    text =>
      [...document.fonts].some(face => face.family.includes('Inter Variable') && face.status === 'loaded') &&
      document.fonts.check('14px "Inter Variable"', text),
    text,
  )
/** Returns the width of a text in the page's font. */
const widthOf = (page: Page, text: string) =>
  page.evaluate(text => {
    const span = document.body.appendChild(document.createElement('span'))
    span.textContent = text
    const { width } = span.getBoundingClientRect()
    span.remove()
    return width
  }, text)

test('the typeface is preloaded once from the own origin and cached permanently', { tag: '@long' }, async ({
  page,
  person,
  openAs,
  app,
}) => {
  const violations = await watchPolicy(page)
  const asked: string[] = []
  page.on('request', request => {
    if (request.resourceType() === 'font') asked.push(request.url())
  })
  await page.goto('/login')
  await expect(page.getByRole('button', { name: 'Continue' })).toBeVisible()
  await expect.poll(() => isLoaded(page)).toBe(true)
  const preloaded = await page.locator('link[rel=preload][as=font]').getAttribute('href')
  expect(preloaded).toMatch(/^\/static\/font\/inter-latin-wght-normal\.[0-9a-f]{8,}\.woff2$/)
  expect(asked).toEqual([app.url + preloaded])
  const answer = await page.request.get(preloaded as string)
  expect(answer.headers()['cache-control']).toBe('public, max-age=31536000, immutable')
  expect(answer.headers()['content-type']).toBe('font/woff2')
  expect((await answer.body()).length).toBeLessThan(70_000)

  // Characters outside of the first subset load another one; scripts of system fonts load none.
  await openAs(await person('zo'), '/dashboard/overview')
  await expect(page.getByRole('heading', { name: 'Product roadmap' })).toBeVisible()
  asked.length = 0
  for (const text of ['Слава', 'سلام', '北京', 'žluťoučký']) await widthOf(page, text)
  await expect.poll(() => asked.join()).toMatch(/latin-ext/)
  expect(asked).toHaveLength(1)

  // Tables use tabular figures.
  await openAs(await person('zoe'), '/dashboard/iods')
  const widths = await page.evaluate(async () => {
    const table = document.body.appendChild(document.createElement('table'))
    const cell = table.insertRow().insertCell()
    const measured = ['1111111111', '0000000000'].map(text => {
      cell.replaceChildren(Object.assign(document.createElement('span'), { textContent: text }))
      return (cell.firstChild as HTMLElement).getBoundingClientRect().width
    })
    table.remove()
    return measured
  })
  expect(widths[0]).toBe(widths[1])
  expect(violations).toEqual([])
})

test('a late typeface causes no layout shift', { tag: '@long' }, async ({ page, person, openAs }) => {
  const who = await person('late')
  const value = `typeface-${Date.now().toString(36)}`
  await who.api.call(iodsApi.createIod, {
    body: { value, category: 'KEYWORDS', description: 'of this journey', source_type: 'MANUAL' },
  })
  await watchShifts(page)
  await openAs(who, '/terms-of-service')
  for (const [path, shown] of [
    ['/privacy-policy', 'Last updated'],
    ['/dashboard/overview', 'Product roadmap'],
    [`/dashboard/iods?q=${value}`, value],
    ['/dashboard/community', '@'],
    ['/dashboard/graph', 'No data to display'],
  ] as const) {
    const release = await holdRequests(page, FONTS)
    // A pending preload delays the load event.
    await page.goto(path, { waitUntil: 'commit' })
    await expect(page.getByRole('main').getByText(shown).first()).toBeVisible()
    expect(await isLoaded(page), path).toBe(false)
    const before = await widthOf(page, 'Narratives of the campaign')
    release()
    await expect.poll(() => isLoaded(page)).toBe(true)
    expect(await shiftOf(page), path).toBeLessThanOrEqual(SHIFT_MAX)
    // The fallback has nearly the same width, which keeps the lines.
    const after = await widthOf(page, 'Narratives of the campaign')
    expect(Math.abs(after / before - 1), path).toBeLessThan(0.05)
    await page.unroute(FONTS)
  }
})

test("the graph's canvas has the typeface, also in its worker", async ({ page, person, openAs, ai }) => {
  const who = await person('canvas')
  await who.api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-canvas' } })
  ai.next({ triplets: [{ subject: 'Giant mirrors', verb: 'heat', object: 'the lake' }] })
  await who.api.call(narrativesApi.createNarrative, { body: { text: 'Giant mirrors heat the lake.' } })
  /** Opens the graph on a separate page, and waits for its first drawing. `digest` is of its pixels; empty if blank. */
  const open = async (page: Page, drawing: 'page' | 'worker') => {
    await page.emulateMedia({ reducedMotion: 'reduce' })
    if (drawing === 'page')
      await page.addInitScript(() =>
        Reflect.deleteProperty(HTMLCanvasElement.prototype, 'transferControlToOffscreen'),
      )
    // The preload of the typeface would delay the load event.
    await page.goto('/dashboard/graph', { waitUntil: 'commit' })
    const canvas = page.getByRole('application', { name: 'Narrative triplets graph' })
    await expect(canvas).toHaveAttribute('data-layout', 'settled')
    await expect(canvas).toHaveAttribute('data-drawing', drawing)
    const digest = () =>
      canvas.evaluate(async element => {
        const { width, height } = element as HTMLCanvasElement
        const copy = new OffscreenCanvas(width, height).getContext('2d') as OffscreenCanvasRenderingContext2D
        copy.drawImage(element as HTMLCanvasElement, 0, 0)
        const { data } = copy.getImageData(0, 0, width, height)
        if (data.every(value => value === 0)) return ''
        return [...new Uint8Array(await crypto.subtle.digest('SHA-256', data))].join()
      })
    await expect.poll(digest).not.toBe('')
    return digest
  }
  const context = page.context()
  // Simulate a system without the fallback's fonts: loading it fails immediately.
  await context.route('**/static/css/*.css', async route => {
    const answer = await route.fetch()
    await route.fulfill({
      body: (await answer.text()).replace(/local\([^)]*\)/g, 'local("None")'),
      response: answer,
    })
  })
  await openAs(who, '/privacy-policy')
  await page.route(FONTS, route => route.abort())
  const without = await open(page, 'page')
  const onPage = await open(await context.newPage(), 'page')
  // The first drawing precedes the worker's typeface.
  const late = await context.newPage()
  const release = await holdRequests(late, FONTS)
  const inWorker = await open(late, 'worker')
  release()
  // Each is redrawn once its font has loaded: poll all three until they agree.
  await expect
    .poll(async () => {
      const [fallback, drawn, worked] = [await without(), await onPage(), await inWorker()]
      return { fallback: drawn === fallback, worker: drawn === worked }
    })
    .toEqual({ fallback: false, worker: true })
})
