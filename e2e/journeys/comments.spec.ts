import { expect, type Page, test } from '../support/fixtures.js'
import { createIod, newMark } from '../support/iods.js'

const comments = (page: Page) => page.getByRole('region', { name: 'Comments' })

test('two people discuss an IOD, and one is mentioned', async ({ page, person, openAs }) => {
  const [ana, bo] = await Promise.all([person('ana'), person('bo')])
  const iod = await createIod(ana, { value: `Mirrors of ${newMark()}` })
  const path = `/dashboard/iods/${iod.id}`
  await openAs(ana, path)
  await expect(comments(page)).toContainText('No comments yet')
  const box = comments(page).getByRole('textbox', { name: 'Add a comment' })
  await box.fill(`Seen before, @${bo.username.slice(0, -1)}`)
  await comments(page).getByRole('option', { name: bo.username }).click()
  await box.press('ControlOrMeta+Enter')
  const mention = comments(page).getByRole('link', { name: `@${bo.username}` })
  await expect(mention).toHaveAttribute('href', /\/dashboard\/community\/profile\/[0-9a-f]{24}$/)

  await openAs(bo, path)
  const reply = comments(page).getByRole('paragraph').filter({ hasText: 'Where? <b>' })
  await comments(page).getByRole('button', { name: 'Reply' }).click()
  await comments(page).getByRole('textbox', { name: 'Reply' }).fill('Where? <b>')
  await comments(page).getByRole('button', { name: 'Reply' }).last().click()
  await expect(reply).toBeVisible()
  await expect(comments(page).getByRole('textbox', { name: 'Reply' })).toBeHidden()
  await expect(comments(page).getByRole('heading')).toHaveText('Comments (2)')
  await comments(page).getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(reply).toBeVisible()
})
