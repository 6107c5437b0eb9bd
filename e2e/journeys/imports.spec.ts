import { readdirSync, readFileSync } from 'node:fs'
import { collectorApi, recordImportsApi } from '@iodine/contracts'
import { completeRecord, type RecordItem, type Report } from '@iodine/imports'
import { expect, type Page, test } from '../support/fixtures.js'

const PATH = '/dashboard/data/import'
const SAMPLES = new URL('../../packages/imports/test/samples/', import.meta.url)
const sample = (name: string): Buffer => readFileSync(new URL(name, SAMPLES))

const choose = (page: Page, name: string, buffer: Buffer) =>
  page.getByLabel('Files to import').setInputFiles({ name, mimeType: 'application/octet-stream', buffer })
const card = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Chosen files' }).getByRole('listitem').filter({ hasText: name })
const imported = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Imports' }).getByRole('listitem').filter({ hasText: name })
/** Records the bodies that the page sends to the API. */
const recordSent = (page: Page): string[] => {
  const sent: string[] = []
  page.on('request', request => {
    if (request.url().includes('/api/')) sent.push(request.postData() ?? '')
  })
  return sent
}

/** Zeeschuimer’s NDJSON with posts of X. */
const posts = (count: number): Buffer => {
  const [line = ''] = sample('zeeschuimer-twitter.ndjson').toString().split('\n')
  const first = JSON.parse(line) as { data: { legacy: object } }
  const lines = Array.from({ length: count }, (_, at) => {
    const id = String(1_800_000_000_000_000_000n + BigInt(at) * 4_194_304_000n)
    const data = { ...first.data, rest_id: id, legacy: { ...first.data.legacy, id_str: id } }
    return JSON.stringify({ ...first, item_id: id, data })
  })
  return Buffer.from(lines.join('\n'))
}

test('a file of Zeeschuimer is planned, imported, shown in My Data and undone', async ({
  page,
  person,
  openAs,
}) => {
  const ana = await person('ana')
  await openAs(ana, '/dashboard/data')
  await page.getByRole('link', { name: 'Import what you have' }).click()
  await expect(page.getByRole('heading', { name: 'Import', exact: true })).toBeVisible()
  const sent = recordSent(page)
  await choose(page, 'tiktok.ndjson', sample('zeeschuimer-tiktok.ndjson'))
  const chosen = card(page, 'tiktok.ndjson')
  await expect(chosen.getByText('2 records: 2 new, 0 in your data already')).toBeVisible()
  await expect(chosen.getByText('Zeeschuimer', { exact: true })).toBeVisible()
  expect(sent.filter(body => body.includes('"records"'))).toEqual([])

  await chosen.getByRole('button', { name: 'Import 2 records' }).click()
  await expect(imported(page, 'tiktok.ndjson').getByText('2 new, 0 completed, 0 unchanged')).toBeVisible()
  await page.getByRole('button', { name: 'My Data', exact: true }).click()
  await expect(page.getByRole('tab', { name: 'Short videos' })).toHaveText('Short videos2')
  await expect(page.getByRole('article').first()).toBeVisible()

  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await choose(page, 'again.ndjson', sample('zeeschuimer-tiktok.ndjson'))
  await expect(card(page, 'again.ndjson').getByText('0 new, 2 in your data already')).toBeVisible()
  await card(page, 'again.ndjson').getByRole('button', { name: 'Cancel' }).click()
  await imported(page, 'tiktok.ndjson').getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Undo import' }).click()
  await expect(page.getByText('No imports yet')).toBeVisible()
  await page.getByRole('button', { name: 'My Data', exact: true }).click()
  await expect(page.getByText('No data collected yet')).toBeVisible()
  expect(await ana.api.call(collectorApi.listRecords, { params: { source: 'tiktok' }, query: {} })).toEqual(
    [],
  )
})

test('an import that was closed in the middle goes on where it stopped', async ({
  page,
  person,
  openAs,
  context,
}) => {
  const bea = await person('bea')
  const offsets: number[] = []
  let isHeld = true
  await context.route('**/post/data', async route => {
    const { offset } = route.request().postDataJSON() as { offset: number }
    offsets.push(offset)
    // The answer of the second batch never arrives, as the page is closed.
    if (isHeld && offset === 500) return
    await route.continue()
  })
  await openAs(bea, PATH)
  await choose(page, 'posts.ndjson', posts(1_001))
  await page.getByRole('button', { name: 'Import 1,001 records' }).click()
  await expect(page.getByText('Importing: 500 of 1,001 records')).toBeVisible()
  await expect.poll(() => offsets).toEqual([0, 500])
  isHeld = false
  await page.reload()
  await expect(page.getByText('Paused: 500 of 1,001 records')).toBeVisible()
  await page.getByRole('button', { name: 'Resume' }).click()
  await expect(imported(page, 'posts.ndjson').getByText('1,001 new, 0 completed, 0 unchanged')).toBeVisible()
  expect(offsets).toEqual([0, 500, 500, 1_000])
  const runs = await bea.api.call(recordImportsApi.listRecordImports, { query: {} })
  expect(runs).toMatchObject([{ received: 1_001, created: 1_001 }])
})

test('nothing of a private chat of a Telegram export leaves the browser', async ({
  page,
  person,
  openAs,
}) => {
  const cleo = await person('cleo')
  await openAs(cleo, PATH)
  const sent = recordSent(page)
  await choose(page, 'result.json', sample('telegram-desktop-account.json'))
  const chats = page.getByRole('group', { name: 'Chats' })
  await expect(chats.getByRole('checkbox', { name: 'Lanternay News' })).toBeChecked()
  for (const box of await chats.getByRole('checkbox', { name: 'Private' }).all())
    await expect(box).not.toBeChecked()
  await chats.getByLabel('Username of Lanternay News').fill('@lanternay_news')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: /^Import \d+ records?$/ }).click()
  await expect(imported(page, 'result.json').getByText(/^[1-9]\d* new/)).toBeVisible()
  const all = sent.join('\n')
  expect(all).toContain('t.me/lanternay_news/')
  for (const secret of ['private words', 'note to self', '+000', '+001', 'invented_example'])
    expect(all).not.toContain(secret)
})

test('the columns of a table are chosen, and the choice is kept for the next one', async ({
  page,
  person,
  openAs,
}) => {
  const dan = await person('dan')
  await openAs(dan, PATH)
  const table = 'Adresse,Worte,Wann\nhttps://blog.example.org/lake,Mirrors heat lakes,2025-11-13 03:13:20\n'
  await choose(page, 'tabelle.csv', Buffer.from(table))
  const form = page.getByRole('form', { name: 'Questions about the file' })
  await expect(form.getByRole('cell', { name: 'Mirrors heat lakes' })).toBeVisible()
  await form.getByLabel('URL').selectOption('Adresse')
  await form.getByLabel('Text', { exact: true }).selectOption('Worte')
  await form.getByLabel('Time of posting').selectOption('Wann')
  await expect(form.getByRole('button', { name: 'Continue' })).toBeDisabled()
  await form.getByLabel('Time zone').selectOption('Europe/Paris')
  await form.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Import 1 record' }).click()
  await expect(imported(page, 'tabelle.csv').getByText('1 new, 0 completed, 0 unchanged')).toBeVisible()
  const [record] = await dan.api.call(collectorApi.listRecords, { params: { source: 'blog' }, query: {} })
  expect(record).toMatchObject({
    context: { text: 'Mirrors heat lakes', posted_at: '2025-11-13T02:13:20.000Z' },
  })

  await page.reload()
  await choose(page, 'zweite.csv', Buffer.from(table.replaceAll('lake', 'hill')))
  await expect(form.getByLabel('Text', { exact: true })).toHaveValue('Worte')
})

/** A sample with what the reader gives for it. */
interface Expected {
  file: string
  format: string
  options: { file_time: string } & Record<string, unknown>
  records: RecordItem[]
  report: Partial<Report>
}
/** What the import page's worker stored of a file. */
interface ReadFile {
  total: number
  merged: number
  joined: number
  batches: { source: string; records: unknown[] }[]
  skipped: unknown[]
}

/** Reads a file in the worker of the import page. Returns what it stored in the browser. */
const readInWorker = async (
  page: Page,
  url: string,
  { file, format, options }: Expected,
): Promise<ReadFile> => {
  const { file_time, ...given } = options
  const request = {
    url,
    file,
    format,
    given,
    time: Date.parse(file_time),
    base64: sample(file).toString('base64'),
  }
  return page.evaluate(async ({ url, file, format, given, time, base64 }) => {
    const bytes = Uint8Array.from(atob(base64), character => character.charCodeAt(0))
    const read = {
      id: file,
      owner: 'samples',
      file: new File([bytes], file, { lastModified: time }),
      format,
      given,
    }
    const worker = new Worker(url)
    const draft = await new Promise<{ total: number; plan: { merged: number; joined: number } }>(
      (resolve, reject) => {
        worker.onmessage = ({ data }) => {
          if (data.type === 'ready') worker.postMessage({ read })
          else if (data.type === 'done') resolve(data.value)
          else if (data.type === 'failed') reject(new Error(data.message))
        }
        worker.onerror = () => reject(new Error('The worker failed'))
      },
    )
    worker.terminate()
    const settled = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
    const database = await settled(indexedDB.open('iodine:draft:imports'))
    const stores = database.transaction(['batches', 'skipped'])
    const range = IDBKeyRange.bound([file, 0], [file, Number.POSITIVE_INFINITY])
    const batches = await settled(stores.objectStore('batches').getAll(range))
    const skipped = await settled(stores.objectStore('skipped').get(file))
    database.close()
    return { total: draft.total, ...draft.plan, batches, skipped }
  }, request)
}

test('the browser reads every sample as expected', { tag: '@long' }, async ({ page, person, openAs }) => {
  await openAs(await person('eve'), PATH)
  const started = page.waitForEvent('worker')
  await choose(page, 'empty.txt', Buffer.from(''))
  const url = (await started).url()
  const names = readdirSync(SAMPLES).filter(name => name.endsWith('.expected.json'))
  expect(names.length).toBeGreaterThan(50)
  for (const name of names) {
    const expected = JSON.parse(sample(name).toString()) as Expected
    const { file, records, report } = expected
    const { total, merged, joined, batches, skipped } = await readInWorker(page, url, expected)
    const sources = [...new Set(records.map(({ source }) => source))]
    const bySource = (of: { source: string; records: unknown[] }[]) =>
      sources.map(source => of.filter(each => each.source === source).flatMap(each => each.records))
    expect({ file, total, merged, joined, skipped, records: bySource(batches) }).toEqual({
      file,
      total: records.length,
      merged: report.merged,
      joined: report.joined ?? 0,
      skipped: report.skipped,
      records: bySource(records.map(item => ({ source: item.source, records: [completeRecord(item)] }))),
    })
  }
})
