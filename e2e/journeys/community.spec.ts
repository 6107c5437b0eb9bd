import { iodsApi, profileApi } from '@iodine/contracts'
import { expect, type Page, type Person, test } from '../support/fixtures.js'

const card = (page: Page, { username }: { username: string }) =>
  page.getByRole('article', { name: `@${username}`, exact: true })
const searchFor = async (page: Page, term: string) => {
  await page.getByPlaceholder('Search for a user...').fill(term)
  await expect(page.getByText(`Search: "${term}"`)).toBeVisible()
}
const contribute = async ({ api }: Person, count: number, prefix: string) => {
  for (let n = 0; n < count; n += 10)
    await Promise.all(
      Array.from({ length: Math.min(10, count - n) }, (_, at) => {
        const value = `${prefix} ${n + at} ${Date.now().toString(36)}`
        const body = {
          value,
          category: 'SENTENCE',
          description: 'Heard twice',
          source_type: 'MANUAL',
        } as const
        return api.call(iodsApi.createIod, { body })
      }),
    )
}
/** Waits until a profile has `count` IODs: contributions arrive asynchronously. */
const expectContributions = ({ api }: Person, id: string, count: number) =>
  expect.poll(async () => (await api.send('GET', `/community/users/${id}`)).body.total_iods).toBe(count)

test('a user searches the list, loads a second page, and returns to the same position', {
  tag: '@long',
}, async ({ page, person, openAs }) => {
  // The oldest of 22, and therefore the last of the list.
  const busy = await person('walker')
  await Promise.all(Array.from({ length: 21 }, () => person('walker')))
  await contribute(busy, 5, '<b>Lake</b> claim')
  const { id } = await busy.api.call(profileApi.getProfile)
  await expectContributions(busy, id, 5)
  const found = async () => (await busy.api.send('GET', '/community/users?search=walker_')).body.total
  await expect.poll(found).toBe(22)
  await openAs(busy, '/dashboard/community')
  await expect(page.getByRole('heading', { name: 'Iodine Community' })).toBeVisible()
  await expect(page.getByText(/^\d+ profile\(s\) found$/)).toBeVisible()

  const asked: string[] = []
  page.on('request', request => {
    if (request.url().includes('/community/users?'))
      asked.push(new URL(request.url()).searchParams.get('search') ?? '')
  })
  const box = page.getByPlaceholder('Search for a user...')
  await box.pressSequentially('wa')
  await searchFor(page, 'WALKER_')
  expect(asked.every(term => term.length > 2)).toBe(true)
  // The previous list stays until the next one is loaded.
  await expect(page.getByRole('list', { name: 'Profiles' })).toHaveAttribute('aria-busy', 'false')
  await expect(page.getByText('22 profile(s) found')).toBeVisible()
  await expect(page.getByRole('article')).toHaveCount(20)
  await page.getByRole('button', { name: 'Load more profiles' }).click()
  await expect(page.getByRole('article')).toHaveCount(22)
  await expect(page.getByRole('button', { name: 'Load more profiles' })).toHaveCount(0)

  const own = card(page, busy)
  await expect(own).toContainText(/Since \d{1,2} \S+ \d{4}/)
  await expect(own).toContainText('contributions5recent IODs3recent narratives0')
  await expect(own).toContainText('<b>Lake</b> claim')
  await expect(own).toContainText('+2 other(s)...')
  await own.getByText('View full profile').scrollIntoViewIfNeeded()
  const titleLeft = async () => (await page.getByRole('heading', { level: 1 }).boundingBox())?.x
  const left = await titleLeft()
  const position = await page.evaluate(() => window.scrollY)
  expect(position).toBeGreaterThan(200)
  await own.getByText('View full profile').click()
  await expect(page.getByText(/^Membre depuis \d{1,2} \S+ \d{4}$/)).toBeVisible()
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0)
  // Profiles have the same alignment as all pages.
  await expect.poll(titleLeft).toBe(left)

  const isBack = async () => {
    await expect(card(page, busy)).toBeInViewport()
    await expect(box).toHaveValue('WALKER_')
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(position)
  }
  await page.getByRole('button', { name: 'Retour' }).click()
  await isBack()
  await page.goForward()
  await expect(page.getByText(/^Membre depuis/)).toBeVisible()
  await page.goBack()
  await isBack()

  await box.fill('')
  await expect(page.getByText(/^Search:/)).toHaveCount(0)
  await searchFor(page, 'nobody_is_called_so')
  await expect(page.getByText('No profiles found')).toBeVisible()
  await expect(page.getByText('Try different search terms')).toBeVisible()
  await page.getByRole('button', { name: 'Show all profiles' }).click()
  await expect(page.getByText('No profiles found')).toBeHidden()
  await expect(box).toHaveValue('')
})
