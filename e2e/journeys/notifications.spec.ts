import { iodCommentsApi, paths, watchesApi } from '@iodine/contracts'
import { expect, test } from '../support/fixtures.js'
import { createIod, newMark } from '../support/iods.js'

test('a mention and a watched search appear under the bell, and the link opens the comment', async ({
  page,
  person,
  openAs,
}) => {
  const [ana, bo] = await Promise.all([person('ana'), person('bo')])
  const mark = newMark()
  const iod = await createIod(bo, { value: `Mirrors of ${mark}` })
  const bell = page.getByRole('button', { name: /^Notifications/ })
  const drawer = page.getByRole('dialog', { name: 'Notifications' })
  await openAs(ana, paths.iods({ q: mark }))

  await test.step('watch the search', async () => {
    await page.getByRole('button', { name: 'Watch this search' }).click()
    await expect(page.getByRole('button', { name: 'Watching this search' })).toBeVisible()
    await expect.poll(async () => (await ana.api.call(watchesApi.listWatches)).length).toBe(1)
  })

  await createIod(bo, { value: `Second of ${mark}` })
  const content = `See @${ana.username}: ${mark}`
  await bo.api.call(iodCommentsApi.createComment, { params: { id: iod.id }, body: { content } })

  await test.step('the bell shows both, and the link opens the comment', async () => {
    await expect(async () => {
      await page.reload()
      await expect(bell).toHaveAccessibleName('Notifications, 2 unread', { timeout: 5_000 })
    }).toPass()
    await bell.click()
    await expect(drawer.getByRole('link', { name: 'New IOD' })).toHaveAttribute(
      'href',
      paths.iods({ q: mark }),
    )
    await drawer.getByRole('link', { name: `@${bo.username} mentioned you` }).click()
    await expect(page).toHaveURL(new RegExp(`/dashboard/iods/${iod.id}\\?comment=[0-9a-f]{24}$`))
    await expect(page.getByRole('dialog', { name: 'IOD', exact: true }).getByText(mark)).toBeInViewport()
    await expect(bell).toHaveAccessibleName('Notifications, 1 unread')
  })

  await test.step('the settings list the watch, and delete it with Undo', async () => {
    await bell.click()
    await drawer.getByRole('button', { name: 'Mark all read' }).click()
    await expect(drawer.getByText('(unread)')).toHaveCount(0)
    await drawer.getByRole('link', { name: 'Settings' }).click()
    const deletion = page.getByRole('button', { name: /^Delete watch/ })
    await deletion.click()
    await expect(deletion).toHaveCount(0)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(deletion).toBeVisible()
  })
})
