import { collectorApi, SOURCES } from '@iodine/contracts'
import { hostileTexts, recordFullOf, runs } from '@iodine/test-kit'
import { expect, readCards, test } from '../support/fixtures.js'
import { pressEscape } from '../support/press-escape.js'

const BATCH = 500
const mustBeRefused = (text: string) => text.includes('\0') || !text.isWellFormed()

test('hostile text in every field of every source is shown as text and runs no script', {
  tag: '@long',
}, async ({ page, person, openAs, app }) => {
  const texts = hostileTexts(runs(12))
  test.setTimeout(SOURCES.length * (30_000 + texts.length * 1_500))
  const ana = await person('ana')
  const faults: string[] = []
  page.on('dialog', dialog => {
    faults.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('popup', popup => faults.push(`popup: ${popup.url()}`))
  page.on('pageerror', error => faults.push(`error: ${error.message}`))
  page.on('request', request => {
    const url = request.url()
    if (!url.startsWith(`${app.url}/`)) faults.push(`request: ${url.slice(0, 200)}`)
  })
  page.on('response', response => {
    if (response.status() >= 500) faults.push(`${response.status()}: ${response.url()}`)
  })

  const kept: Record<string, string[]> = {}
  for (const source of SOURCES) {
    const taken: string[] = []
    for (let from = 0; from < texts.length; from += BATCH) {
      const part = texts.slice(from, from + BATCH)
      const { results } = await ana.api.call(collectorApi.ingestRecords, {
        params: { source },
        body: { records: part.map(text => recordFullOf(text)[source]) },
      })
      for (const [index, result] of results.entries()) {
        const text = part[index] ?? ''
        const isPrototypeKey = source === 'blog' && text === '__proto__'
        if (mustBeRefused(text) || isPrototypeKey) expect(result).toEqual({ error: [expect.any(String)] })
        else {
          expect(result, text).toMatchObject({ status: 'created' })
          taken.push(text)
        }
      }
    }
    kept[source] = taken
  }
  // As IODs, the values also appear in highlights and their descriptions.
  for (const value of texts.slice(0, 200)) {
    const body = { value, category: 'SENTENCE', description: value, source_type: 'MANUAL' }
    const { status } = await ana.api.send('POST', '/iods', body)
    expect(mustBeRefused(value) ? [422] : [201, 409], value).toContain(status)
  }

  for (const source of SOURCES) {
    await openAs(ana, `/dashboard/data?source=${source}`)
    const shown = (kept[source] ?? []).toReversed()
    await readCards(page, shown.length, async (card, position) => {
      const text = shown[position - 1] ?? ''
      expect(await card.textContent(), text).toContain(text)
      const { foreign, links } = await card.evaluate(element => ({
        foreign: element.querySelectorAll(
          'script, img, iframe, object, embed, form, style, link, base, meta, video',
        ).length,
        links: [...element.querySelectorAll('a')].map(({ href, rel }) => [new URL(href).protocol, rel]),
      }))
      expect(foreign).toBe(0)
      for (const [protocol, rel] of links) {
        expect(['http:', 'https:']).toContain(protocol)
        expect(rel).toContain('noopener')
      }
    })
    const last = page.getByRole('article').last()
    const button = last.getByRole('button', { name: /^Create IOD from / }).first()
    if (await button.count()) {
      await button.click()
      await expect(page.getByRole('dialog').getByLabel('Value')).not.toHaveValue('')
      await pressEscape(page)
    }
    expect(await page.evaluate(() => 'hostileRan' in window)).toBe(false)
    expect(page.url()).toBe(`${app.url}/dashboard/data?source=${source}`)
  }
  expect(faults).toEqual([])
})
