import { readFile } from 'node:fs/promises'
import { collectorApi, iodsApi, sightingsApi } from '@iodine/contracts'
import { iodInput, telegramPost } from '@iodine/test-kit'
import { expect, type Page, type Person, test } from '../support/fixtures.js'

const START = Date.UTC(2026, 2, 1, 10)
const STORY = 'Secret engineers mix sleeping pills into the reservoir of Velden, a leaked memo says'
let made = 0

/** Returns a post of a channel, `seconds` after the start. */
const post = (channel: string, seconds: number, text: string, context: object = {}) => {
  const url = `https://t.me/${channel}/${++made}`
  const record = telegramPost({ author: channel, description: text, url })
  return {
    ...record,
    telegram: {
      ...record.telegram,
      channel: { ...record.telegram.channel, username: channel, title: channel },
      attachments: [],
    },
    context: { posted_at: new Date(START + seconds * 1_000).toISOString(), text, ...context },
  }
}

/**
 * Collects a first appearance, a forward, a near copy, an edited post, and the same links of two channels seconds
 * apart.
 */
const collect = async ({ api }: Person): Promise<void> => {
  const first = post('first_voice', 0, STORY)
  const records = [
    first,
    post('lake_watch', 3_600, STORY, {
      forwarded_from: { name: 'first_voice', url: first.telegram.post.url },
    }),
    post('velden_truth', 7_200, `${STORY.toUpperCase()} — pass it on`),
    post('open_valley', -86_400, `${STORY}!`, { edited: true }),
    ...[0, 1, 2, 3].flatMap(n => [
      post('velden_truth', 20_000 + n * 5_000, `Part ${n}: look at what they hide`, {
        links: [`https://news.example.org/${n}`],
      }),
      post('open_valley', 20_012 + n * 5_000, `They hide this, number ${n}`, {
        links: [`https://news.example.org/${n}`],
      }),
    ]),
  ]
  await api.call(collectorApi.ingestRecords, { params: { source: 'telegram' }, body: { records } })
  const indexed = async () =>
    (await api.call(sightingsApi.searchSightings, { body: { value: STORY } })).counts.items
  await expect.poll(indexed, { timeout: 30_000 }).toBe(4)
}

const timelineOf = (page: Page) => page.getByRole('application', { name: 'Timeline of posts' })

test('an IOD leads to its first appearance and to accounts that move together', async ({
  page,
  person,
  openAs,
}) => {
  const ana = await person('ana')
  await collect(ana)
  const iod = await ana.api.call(iodsApi.createIod, {
    body: iodInput({ value: STORY, category: 'SENTENCE' }),
  })
  await openAs(ana, `/dashboard/iods/${iod.id}`)
  const first = page.getByRole('region', { name: 'Earliest known here' })
  const firsts = page.getByRole('region', { name: 'First appearance by account' })

  await test.step('the IOD leads to the earliest known appearance', async () => {
    await page.getByRole('link', { name: 'Find first appearance' }).click()
    await expect(page).toHaveURL(/\/dashboard\/origins\?iod=/)
    await expect(first).toContainText('first_voice')
    await expect(first).toContainText('2026-03-01 10:00:00 UTC')
  })

  await test.step('each account’s first appearance shows its relation; a later version is no first appearance', async () => {
    const row = (account: string) => firsts.getByRole('row').filter({ hasText: account })
    await expect(row('lake_watch')).toContainText('Forwarded from first_voice, according to the page')
    await expect(row('velden_truth')).toContainText('Seen earlier: ')
    await expect(row('open_valley')).toContainText('Only its collection time is known')
  })

  await test.step('the timeline works by keyboard and shows details', async () => {
    await timelineOf(page).focus()
    await page.keyboard.press('Home')
    const selected = page.getByRole('region', { name: 'Selected post' })
    await expect(selected).toContainText('first_voice')
    await page.keyboard.press('ArrowDown')
    await expect(selected).toContainText('lake_watch')
    await page.keyboard.press('Escape')
    await expect(selected).toBeHidden()
  })

  await test.step('dragging over the bars zooms', async () => {
    const whole = await timelineOf(page).getAttribute('data-span')
    const bars = page.getByTestId('overview')
    await bars.scrollIntoViewIfNeeded()
    const box = await bars.boundingBox()
    if (!box) throw new Error('the overview is not visible')
    const y = box.y + box.height / 2
    await page.mouse.move(box.x + box.width * 0.3, y)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.5, y, { steps: 4 })
    await page.mouse.up()
    await expect(timelineOf(page)).not.toHaveAttribute('data-span', whole ?? '')
    await page.getByRole('button', { name: 'Show all', exact: true }).click()
    await expect(timelineOf(page)).toHaveAttribute('data-span', whole ?? '')
  })

  await test.step('the timeline exports CSV and a picture', async () => {
    const save = async (name: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name }).click(),
      ])
      return readFile(await download.path())
    }
    const csv = (await save('Save as CSV')).toString('utf8').split('\r\n')
    expect(csv[0]).toContain('at,at_is,posted_at_claimed,collected_at,source,account')
    expect(csv[1]).toContain('2026-03-01T10:00:00.000Z,claimed')
    expect((await save('Save as PNG')).subarray(1, 4).toString()).toBe('PNG')
  })

  await test.step('the graph’s co-shares show accounts that move together, with both posts', async () => {
    await page.goto('/dashboard/graph?tab=co-shares')
    await page.getByRole('button', { name: 'Find co-shares' }).click()
    await expect(page.getByRole('list', { name: 'Counts' })).toContainText('1 pair of accounts', {
      timeout: 60_000,
    })
    const [a, b] = ['telegram open_valley', 'telegram velden_truth']
    await page.goto(`${page.url()}&${new URLSearchParams({ node: a as string, to: b as string })}`)
    const pair = page.getByRole('list', { name: 'Pairs' }).getByRole('listitem').first()
    await expect(pair).toContainText('12 s apart')
    await expect(pair).toContainText('look at what they hide')
    await expect(pair).toContainText('They hide this')
  })
})

test('others find a shared record until it is unshared', { tag: '@long' }, async ({
  page,
  person,
  openAs,
}) => {
  const [ana, ben] = [await person('ana'), await person('ben')]
  await collect(ana)
  const search = `/dashboard/origins?${new URLSearchParams({ value: STORY, scope: 'shared' })}`
  const card = page.getByRole('article').filter({ hasText: 'first_voice' }).first()
  /** Waits until ben's search reflects how the record is shared, and opens it. */
  const searchAsBen = async (found: string | null | undefined) => {
    const sharer = async () => {
      const body = { value: STORY, scope: 'shared' } as const
      return (await ben.api.call(sightingsApi.searchSightings, { body })).first?.shared_by
    }
    await expect.poll(sharer, { timeout: 30_000 }).toBe(found)
    await openAs(ben, search)
  }
  const choose = async (item: string) => {
    await openAs(ana, '/dashboard/data?source=telegram&q=first_voice')
    await card.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }

  await choose('Share with my username')
  await expect(card).toContainText('Shared with username')
  await searchAsBen(ana.username)
  const first = page.getByRole('region', { name: 'Earliest known here' })
  await expect(first).toContainText(`@${ana.username}`)

  await choose('Share anonymously')
  await expect(card).toContainText('Shared anonymously')
  await searchAsBen(null)
  await expect(first).toContainText('an anonymous member')
  await expect(first).not.toContainText(ana.username)

  await choose('Stop sharing')
  await expect(card).not.toContainText('Shared')
  await searchAsBen(undefined)
  await expect(page.getByText('No matching posts')).toBeVisible()
})
