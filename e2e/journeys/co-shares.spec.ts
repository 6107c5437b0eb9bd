import { collectorApi, sightingsApi } from '@iodine/contracts'
import { telegramPost } from '@iodine/test-kit'
import type { Locator } from '@playwright/test'
import { expect, type Page, type Person, test } from '../support/fixtures.js'

const START = Date.UTC(2026, 2, 1, 10)
let made = 0
const post = (channel: string, seconds: number, text: string, links: string[] = []) => {
  const url = `https://t.me/${channel}/${++made}`
  const record = telegramPost({ author: channel, description: text, url })
  return {
    ...record,
    telegram: {
      ...record.telegram,
      channel: { ...record.telegram.channel, username: channel, title: channel },
      attachments: [],
    },
    context: { posted_at: new Date(START + seconds * 1_000).toISOString(), text, links },
  }
}

/** Collects posts of two channels with the same links seconds apart, and one near copy of a third channel. */
const collect = async ({ api }: Person) => {
  const story = 'Secret engineers mix sleeping pills into the reservoir of Velden, a leaked memo says'
  const records = [
    ...[0, 1, 2, 3].flatMap(n => [
      post('velden_truth', n * 5_000, `Part ${n}: look at what they hide`, [
        `https://news.example.org/${n}?utm_source=a`,
      ]),
      post('open_valley', n * 5_000 + 12, `They hide this, number ${n}`, [`https://news.example.org/${n}`]),
    ]),
    post('velden_truth', 40_000, story),
    post('lake_watch', 40_030, `${story.toUpperCase()} — pass it on`),
    post('lake_watch', 90_000, 'The market hall opens at eight', ['https://market.example.org/']),
  ]
  await api.call(collectorApi.ingestRecords, { params: { source: 'telegram' }, body: { records } })
  // Runs use only indexed records.
  const question = { url: 'https://market.example.org/', scope: 'own', limit: 1 } as const
  const found = async () => (await api.call(sightingsApi.searchSightings, { body: question })).counts.items
  await expect.poll(found, { timeout: 30_000 }).toBe(1)
}

type Point = { x: number; y: number }
type Canvas = HTMLCanvasElement & { nodePosition(id: string): Point | null }
const canvasOf = (page: Page) => page.getByRole('application', { name: 'Co-shares graph' })
const positionOf = async (canvas: Locator, id: string): Promise<Point> => {
  const place = await canvas.evaluate((element, id) => (element as Canvas).nodePosition(id), id)
  if (!place) throw new Error(`the canvas shows no node ${id}`)
  return place
}
/** Clicks the middle of an edge. */
const clickEdge = async (page: Page, a: string, b: string) => {
  const canvas = canvasOf(page)
  await expect(canvas).toHaveAttribute('data-layout', 'settled')
  const [from, to] = [await positionOf(canvas, a), await positionOf(canvas, b)]
  await canvas.click({ position: { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 } })
}

test('a run leads to both posts of a pair', { tag: '@long' }, async ({ page, person, openAs }) => {
  const ana = await person('ana')
  await collect(ana)
  await openAs(ana, '/dashboard/graph')
  const counts = page.getByRole('list', { name: 'Counts' })
  const edge = page.getByRole('region', { name: 'Edge details' })

  await test.step('the empty tab explains the next step', async () => {
    await page.getByRole('tab', { name: 'Co-shares' }).click()
    await expect(page.getByText('Find co-shares in your records')).toBeVisible()
  })

  await test.step('a run requires a time, and finds accounts that share the same', async () => {
    await page.getByRole('button', { name: 'Advanced' }).click()
    await page.getByLabel('Time window (seconds)').fill('0')
    await expect(page.getByText('A whole number from 1 to 86,400')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Find co-shares' })).toBeDisabled()
    await page.getByLabel('Time window (seconds)').fill('60')
    await page.getByRole('button', { name: 'Find co-shares' }).click()
    await expect(counts).toContainText('3 accounts', { timeout: 60_000 })
    await expect(counts).toContainText('2 pairs of accounts')
  })

  await test.step('an edge shows both posts and both times', async () => {
    await clickEdge(page, 'telegram open_valley', 'telegram velden_truth')
    await expect(edge.getByRole('heading', { name: 'open_valley – velden_truth' })).toBeVisible()
    const pair = edge.getByRole('list', { name: 'Pairs' }).getByRole('listitem').first()
    await expect(pair).toContainText('news.example.org/0')
    await expect(pair).toContainText('12 s apart')
    await expect(pair).toContainText('2026-03-01 10:00:00 UTC')
    await expect(pair).toContainText('2026-03-01 10:00:12 UTC')
    await expect(pair).toContainText('Part 0: look at what they hide')
    await expect(pair).toContainText('They hide this, number 0')
  })

  await test.step('the URL contains the run and the edge', async () => {
    await page.reload()
    await expect(edge.getByRole('heading', { name: 'open_valley – velden_truth' })).toBeVisible()
  })

  await test.step('edges are exported as CSV', async () => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as CSV' }).click(),
    ])
    const { readFile } = await import('node:fs/promises')
    const text = await readFile(await download.path(), 'utf8')
    expect(text.split('\r\n')[0]).toBe(
      '\uFEFFaccount_id,account_id_y,weight,avg_time_delta,n_content_id,n_content_id_y,edge_symmetry_score,beyond_chance,p_value,q_value',
    )
    expect(text).toContain('telegram open_valley,telegram velden_truth,4,12,4,4,1')
  })

  await test.step('a run can be removed', async () => {
    await page.getByRole('button', { name: 'Remove this run' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
    await expect(page.getByText('Find co-shares in your records')).toBeVisible()
  })
})

test('the browser analyzes a CSV', { tag: '@long' }, async ({ page, person, openAs }) => {
  const ana = await person('ana')
  await openAs(ana, '/dashboard/graph?tab=co-shares')
  const file = page.getByLabel('CSV of shares')
  const sent: string[] = []
  page.on('request', request => request.method() === 'POST' && sent.push(request.url()))

  await test.step('a CSV without a required column is rejected', async () => {
    await file.setInputFiles({ name: 'wrong.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n1,2\n') })
    await expect(page.getByText('The file has no column object_id')).toBeVisible()
  })

  await test.step('a valid CSV becomes a graph with its rows as evidence', async () => {
    const rows = [
      'account_id,object_id,content_id,timestamp_share,other',
      ...[1, 2, 3].flatMap(n => [
        `"ana, the first",link${n},a${n},${n * 1000},x`,
        `ben,link${n},b${n},${n * 1000 + 7},x`,
      ]),
      'cem,link1,c1,never,x',
    ]
    await file.setInputFiles({
      name: 'shares.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(rows.join('\r\n')),
    })
    await expect(page.getByText('1 row was left out')).toBeVisible()
    await clickEdge(page, 'ana, the first', 'ben')
    const edge = page.getByRole('region', { name: 'Edge details' })
    await expect(edge.getByRole('heading', { name: 'ana, the first – ben' })).toBeVisible()
    await expect(edge.getByRole('list', { name: 'Pairs' }).getByRole('listitem').first()).toContainText(
      '7 s apart',
    )
  })
  expect(sent).toEqual([])
})
