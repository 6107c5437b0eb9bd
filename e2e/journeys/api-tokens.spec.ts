import { DETAILS } from '@iodine/contracts'
import { apiClient, iodInput } from '@iodine/test-kit'
import { faultsOf } from '../support/faults.js'
import { expect, test } from '../support/fixtures.js'
import { SIZES } from '../support/sizes.js'

const NAME = '<b>Nightly</b> import'

for (const size of SIZES)
  test(`a script gets a token, uses it within its scopes, and is refused once it is revoked at ${size.width} px`, {
    tag: '@long',
  }, async ({ page, person, openAs, product }) => {
    await page.setViewportSize(size)
    const faults: string[] = []
    const ana = await person('ana')
    await openAs(ana, '/dashboard/profile')
    await page.getByRole('button', { name: 'Make a token' }).click()
    const form = page.getByRole('dialog', { name: 'Make an API token' })
    await form.getByLabel('Name').fill(NAME)
    await form.getByText(/^Collect/).click()
    await form.getByLabel('Lives for').selectOption('Until a day…')
    const day = form.getByLabel('Last day')
    await day.fill((await day.getAttribute('max')) ?? '')
    faults.push(...(await faultsOf(page, 'the form')))
    await form.getByRole('button', { name: 'Make' }).click()
    const shown = page.getByRole('dialog', { name: 'Your API token' })
    const token = await shown.getByLabel('Token', { exact: true }).inputValue()
    await expect(shown.getByLabel('Try it', { exact: true })).toHaveValue(
      `curl -H "Authorization: Bearer ${token}" ${product.url}/api/v1/profile/me`,
    )
    faults.push(...(await faultsOf(page, 'the token')))
    await shown.getByRole('button', { name: 'Done' }).click()
    const row = page.getByRole('listitem').filter({ hasText: NAME })
    await expect(row).toContainText('ReadCollect')
    await expect(row).toContainText('Never used')

    const script = apiClient(product.url, token)
    expect(await script.send('GET', '/profile/me')).toMatchObject({
      status: 200,
      body: { email: ana.email },
    })
    expect((await script.send('POST', '/iods', iodInput())).status).toBe(201)
    expect(await script.send('POST', '/campaigns', { name: 'Not allowed' })).toMatchObject({
      status: 403,
      body: { detail: 'This API token lacks the scope contribute' },
    })
    expect(await script.send('GET', '/profile/api-tokens')).toMatchObject({
      status: 403,
      body: { detail: DETAILS.apiTokenRefused },
    })
    await page.reload()
    await expect(row).toContainText('Used just now')
    await row.scrollIntoViewIfNeeded()
    faults.push(...(await faultsOf(page, 'the list')))

    await page.getByRole('button', { name: `Revoke ${NAME}` }).click()
    const question = page.getByRole('dialog', { name: 'Revoke the API token' })
    await expect(question).toBeVisible()
    faults.push(...(await faultsOf(page, 'the question')))
    await question.getByRole('button', { name: 'Revoke' }).click()
    await expect(page.getByText('API token revoked')).toBeVisible()
    await expect(row).toHaveCount(0)
    expect(await script.send('GET', '/profile/me')).toMatchObject({
      status: 401,
      body: { detail: DETAILS.unauthenticated },
    })
    expect(faults).toEqual([])
  })
