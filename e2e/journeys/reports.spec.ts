import type { ReportContent } from '@iodine/contracts'
import { NO_NOTICES, PAGE_CSP, STYLE, toErrorPage, toPage } from '@iodine/reports'
import { expect, type Page, test } from '@playwright/test'
import { faultsOf } from '../support/faults.js'
import { readPrinted } from '../support/printed.js'

const SITE = 'https://iodine.example'
const DAY = '2026-11-20'
const AT = `${DAY}T10:00:00.000Z`
const HASH = 'ab'.repeat(32)

/** A report with more findings, exhibits and indicators than a printed page has room for. */
const CONTENT: ReportContent = {
  v: 1,
  url: `${SITE}/reports/abcdefghijklmnop/v2`,
  slug: 'abcdefghijklmnop',
  n: 2,
  made_at: AT,
  first_at: AT,
  site: { name: 'Iodine', url: SITE, contact: 'desk@iodine.example', legal_notice: 'Example Institute' },
  language: 'en',
  title: 'Copies of newspapers',
  aliases: ['Mirrors'],
  authors: ['ada'],
  licence: 'CC-BY-4.0',
  doi: null,
  listed: false,
  change: 'The date of the first copy was wrong.',
  summary: 'Pages copy newspapers, such as https://copy.example/page.',
  findings: Array.from({ length: 20 }, (_, n) => ({
    text: `Finding ${n + 1} begins. ${'Two domains share one owner. '.repeat(12)}Finding ${n + 1} ends.`,
    confidence: 'medium',
    exhibits: [1],
  })),
  unknown: 'Who pays for it.',
  method: 'Collected by hand.',
  attribution: null,
  references: [{ title: 'A reference', url: 'https://news.example/a?b=1' }],
  exhibits: Array.from({ length: 40 }, (_, n) => ({
    n: n + 1,
    quote: 'Read it at https://copy.example/page today',
    url: 'https://copy.example/page',
    captured_at: DAY,
    collector: null,
    manifest_hash: HASH,
    seq: null,
  })),
  indicators: Array.from({ length: 200 }, (_, n) => ({
    uid: `507f1f77bcf86cd7994${String(n).padStart(5, '0')}`,
    value: `copy-${n}.a-long-domain-name.example`,
    category: 'DOMAIN',
    description: '',
    first_seen: AT,
    last_seen: AT,
    exhibits: [1],
    votes: { for: 3, against: 1 },
  })),
  held_back: [{ category: 'USERNAME', count: 14 }],
  techniques: [{ id: 'T0023', exhibits: [1], quotes: 2 }],
  disarm: '1.9',
}

/** Opens a page as the gateway serves it, and notes what its policy blocks. */
const open = async (page: Page, html: string): Promise<string[]> => {
  const blocked: string[] = []
  page.on('console', message => {
    if (message.type() === 'error') blocked.push(message.text())
  })
  await page.route(`${SITE}/**`, (route, request) => {
    const { pathname } = new URL(request.url())
    if (pathname.endsWith('.css')) return route.fulfill({ contentType: 'text/css', body: STYLE })
    if (pathname !== '/reports/x') return route.fulfill({ status: 204 })
    const headers = { 'content-security-policy': PAGE_CSP }
    return route.fulfill({ contentType: 'text/html; charset=utf-8', headers, body: html })
  })
  await page.goto(`${SITE}/reports/x`)
  return blocked
}

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })
  test('a report is read, and printed with its label and number on each page', async ({ page }) => {
    const blocked = await open(page, toPage(CONTENT))
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Copies of newspapers')
    await expect(page.getByRole('main')).toContainText('hxxps://copy[.]example/page')
    await expect(page.getByRole('link', { name: 'A reference' })).toHaveAttribute('rel', 'noopener nofollow')
    for (const [format, width, height] of [
      ['A4', 595, 842],
      ['Letter', 612, 792],
    ] as const) {
      const pages = await readPrinted(await page.pdf({ format }))
      expect(pages.length).toBeGreaterThan(8)
      for (const [index, printed] of pages.entries()) {
        expect([Math.floor(printed.width), Math.floor(printed.height)]).toEqual([width, height])
        expect([printed.head, printed.foot]).toEqual([
          'TLP:CLEAR',
          expect.stringMatching(new RegExp(`(?=.*TLP:CLEAR)(?=.*\\b${index + 1} / ${pages.length}\\b)`)),
        ])
      }
      // No finding breaks over two pages, and each indicator is printed.
      for (let n = 1; n <= CONTENT.findings.length; n++) {
        const holds = (word: string) => pages.findIndex(({ text }) => text.includes(`Finding ${n} ${word}`))
        expect([n, holds('begins'), holds('ends') - holds('begins')]).toEqual([n, expect.any(Number), 0])
        expect(holds('begins')).toBeGreaterThanOrEqual(0)
      }
      const all = pages.map(({ text }) => text).join(' ')
      expect(new Set(all.match(/copy-\d+\[\.\]/g)).size).toBe(CONTENT.indicators.length)
      expect(all.replaceAll(' ', '')).toContain('<https://news.example/a?b=1>')
      // The annex begins on a new page.
      expect(pages.some(({ text }) => /^Annex/.test(text))).toBe(true)
    }
    expect(blocked).toEqual([])
  })
})

for (const [width, height] of [
  [1440, 900],
  [320, 640],
] as const)
  test(`a report is accessible in ${width} pixels, in light and dark`, {
    tag: width === 320 ? [] : '@long',
  }, async ({ page }) => {
    await page.setViewportSize({ width, height })
    const replies = [{ from: 'The Paper', text: 'We disagree.', at: AT }]
    const { findings, exhibits, indicators } = CONTENT
    const short = {
      ...CONTENT,
      findings: findings.slice(0, 3),
      exhibits: exhibits.slice(0, 3),
      indicators: indicators.slice(0, 10),
    }
    const pages = {
      report: toPage(short, { latest: 3, replies }),
      french: toPage({ ...short, language: 'fr' }, NO_NOTICES),
      withdrawn: toErrorPage(410, { text: 'A person was named in error.' }),
    }
    const found: string[] = []
    for (const [name, html] of Object.entries(pages))
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.unrouteAll()
        await page.emulateMedia({ colorScheme })
        found.push(...(await open(page, html)), ...(await faultsOf(page, `${name}, ${colorScheme}`)))
      }
    expect(found).toEqual([])
  })
