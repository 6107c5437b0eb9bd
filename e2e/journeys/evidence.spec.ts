import { capturesApi, collectorApi, evidenceApi, sealsApi } from '@iodine/contracts'
import { verifyWacz } from '@iodine/evidence/wacz'
import { tiktokPost } from '@iodine/test-kit'
import { sealPage } from '../support/captures.js'
import { downloadWacz, drawerOf, openEvidence, pieceOf, verifyPiece } from '../support/evidence.js'
import { faultsOf } from '../support/faults.js'
import { expect, type Person, test } from '../support/fixtures.js'
import { createIod, newMark } from '../support/iods.js'
import { watchPolicy } from '../support/policy.js'

const IODS = '/dashboard/iods'

/** Creates a record of a user, and a sealed capture of its page with the words. */
const capture = async (who: Person, mark: string, words = `Mirrors heat ${mark}`, description = words) => {
  const record = tiktokPost({ description })
  await who.api.call(collectorApi.ingestRecords, {
    params: { source: 'tiktok' },
    body: { records: [record] },
  })
  const url = `https://clips.example/@${mark}/1`
  const text = `${mark} on video\n${words}, and the fish are dying.\nShare this.`
  const id = await sealPage(who.api, { url, text, source: 'tiktok', record })
  return { id, url, text, words, record }
}

/** Creates an IOD with words of a sealed capture as evidence. */
const quoted = async (who: Person, mark: string, ...words: string[]) => {
  const page = await capture(who, mark, ...words)
  const iod = await createIod(who, { value: page.words })
  const start = page.text.indexOf(page.words)
  const place = { start, end: start + page.words.length, exact: page.words }
  await who.api.call(evidenceApi.addEvidence, {
    params: { id: iod.id },
    body: { capture_id: page.id, ...place },
  })
  return { ...page, iod }
}

test('another member reads a quote in context and verifies it, and reads the page once it is shared', {
  tag: '@long',
}, async ({ page, person, openAs }) => {
  const [ana, bo] = await Promise.all([person('ana'), person('bo')])
  const mark = newMark()
  const { id, url, words, text } = await quoted(ana, mark)
  const policy = await watchPolicy(page)

  await test.step('an unshared capture shows the words, page, time and verification', async () => {
    await openAs(bo, `${IODS}?q=${mark}`)
    await openEvidence(page)
    const piece = pieceOf(page)
    await expect(piece.locator('mark')).toHaveText(words)
    await expect(piece.locator('blockquote')).toContainText('and the fish are dying.')
    await expect(piece.getByRole('link', { name: url })).toHaveAttribute('rel', 'noopener noreferrer')
    await expect(piece.getByRole('link', { name: ana.username })).toBeVisible()
    await expect(piece.getByText(/^No\. \d+$/)).toBeVisible()
    for (const name of ['Show in capture', 'Download WACZ', 'Share', 'Delete'])
      await expect(piece.getByRole('button', { name })).toHaveCount(0)
    const report = await verifyPiece(page, 3)
    await expect(report).toContainText('Not proved: that the site served it')
    expect(await faultsOf(page, 'evidence')).toEqual([])
    const refused = await page.request.get(`/api/v1/captures/${id}`, {
      headers: { authorization: `Bearer ${bo.token}` },
    })
    expect(refused.status()).toBe(404)
  })

  await test.step('its owner shares it after a notice about its visibility', async () => {
    await openAs(ana, `${IODS}?q=${mark}`)
    await openEvidence(page)
    await pieceOf(page).getByRole('button', { name: 'Share' }).click()
    const dialog = page.getByRole('dialog', { name: 'Share this capture' })
    await expect(dialog).toContainText('every signed-in user can also read the whole captured text')
    await dialog.getByRole('button', { name: 'Share', exact: true }).click()
    await expect(pieceOf(page).getByRole('button', { name: 'Stop sharing' })).toBeVisible()
  })

  await test.step('others read it, see its screenshot and download it', async () => {
    await openAs(bo, `${IODS}?q=${mark}`)
    await openEvidence(page)
    const piece = pieceOf(page)
    await piece.getByRole('button', { name: 'Show in capture' }).click()
    const content = piece.getByRole('region', { name: 'Captured text' })
    await expect(content).toHaveText(text)
    await expect(content.locator('mark')).toHaveText(words)
    await piece.getByRole('button', { name: 'Show screenshot' }).click()
    await expect(piece.getByRole('img', { name: 'Screenshot of the captured page' })).toHaveJSProperty(
      'naturalWidth',
      1,
    )
    await verifyPiece(page, 4)
    const { file, name } = await downloadWacz(page)
    const keys = (await bo.api.call(sealsApi.getSealKeys)).map(({ public_key }) => public_key)
    expect(await verifyWacz(new Uint8Array(file), keys)).toMatchObject({
      verdict: 'good',
      about: { url },
      isKeyGiven: true,
    })
    expect(name).toBe(`capture-${id}.wacz`)
    await expect(piece.getByRole('button', { name: /shar/i })).toHaveCount(0)
  })

  await test.step('its owner stops sharing it', async () => {
    await ana.api.call(capturesApi.shareCapture, { params: { id }, body: { shared: false } })
    await openAs(bo, `${IODS}?q=${mark}`)
    await openEvidence(page)
    await expect(pieceOf(page).getByRole('button', { name: 'Show in capture' })).toHaveCount(0)
    await verifyPiece(page, 3)
  })
  expect(policy).toEqual([])
})

test('the keyboard opens and closes evidence, which fills the window on a phone', {
  tag: '@long',
}, async ({ page, person, openAs }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const ana = await person('ana')
  const mark = newMark()
  const hostile = `\u202e<b>${mark}</b> ${'Spiegel'.repeat(60)}`
  const { iod } = await quoted(ana, mark, hostile, 'Other words')
  await openAs(ana, `${IODS}/${iod.id}`)
  const button = page.getByRole('dialog', { name: 'IOD' }).getByRole('button', { name: 'Evidence (1)' })
  await button.press('Enter')
  await expect(drawerOf(page)).toBeFocused()
  expect(await drawerOf(page).boundingBox()).toMatchObject({ x: 0, y: 0, width: 390, height: 844 })
  await expect(pieceOf(page).locator('mark')).toHaveText(hostile)
  await expect(pieceOf(page).locator('b')).toHaveCount(0)
  await pieceOf(page).getByRole('button', { name: 'Show in capture' }).click()
  await expect(pieceOf(page).getByRole('region', { name: 'Captured text' })).toBeVisible()
  await verifyPiece(page, 4)
  expect(await faultsOf(page, 'evidence on a phone')).toEqual([])
  await page.keyboard.press('Escape')
  await expect(drawerOf(page)).toHaveCount(0)
  await expect(button).toBeFocused()
})

test('words of a record with a sealed capture become evidence of a new or existing IOD', {
  tag: '@long',
}, async ({ page, person, openAs }) => {
  const [ana, bo] = await Promise.all([person('ana'), person('bo')])
  const mark = newMark()
  await capture(ana, mark)
  await capture(bo, mark)
  const createFromSelection = async () => {
    const field = page.locator('[data-iod-path="main.description"]')
    await field.evaluate(element => getSelection()?.selectAllChildren(element))
    await page.getByRole('button', { name: '+ IOD' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Create IOD' }).click()
  }
  await test.step('the first user quotes it with a new IOD', async () => {
    await openAs(ana, `/dashboard/data?q=${mark}`)
    await expect(page.getByRole('button', { name: 'Sealed' })).toBeVisible()
    const added = page.waitForResponse(
      answer => answer.url().endsWith('/evidence') && answer.request().method() === 'POST',
    )
    await createFromSelection()
    expect((await added).status()).toBe(201)
    expect(await (await added).json()).toMatchObject({
      kind: 'capture',
      role: 'record',
      pointer: '/main/description',
      start: 0,
    })
  })
  await test.step('the second user adds a quote to the IOD', async () => {
    await openAs(bo, `/dashboard/data?q=${mark}`)
    await createFromSelection()
    await page.getByRole('button', { name: 'Add your quote to the existing IOD' }).click()
    await expect(page.getByText('Quote added to the IOD as evidence')).toBeVisible()
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await page.goto(`${IODS}?q=${mark}`)
    await page.getByRole('row').getByRole('button', { name: 'Evidence: 2' }).click()
    await expect(pieceOf(page, 2).locator('mark')).toContainText(mark)
    await expect(pieceOf(page, 1).getByRole('button', { name: 'Download WACZ' })).toHaveCount(0)
    await expect(pieceOf(page, 2).getByRole('button', { name: 'Download WACZ' })).toBeVisible()
  })
})

test('an erased capture leaves its words, and shows that they can’t be verified', {
  tag: '@long',
}, async ({ page, person, openAs }) => {
  const ana = await person('ana')
  const mark = newMark()
  const { words } = await quoted(ana, mark)
  await openAs(ana, `/dashboard/data?q=${mark}`)
  await page.getByRole('button', { name: 'Sealed' }).click()
  const details = page.getByRole('article', { name: 'Capture 1' })
  await details.getByRole('button', { name: 'Verify' }).click()
  await expect(details.getByText('The seal holds', { exact: true })).toBeVisible()
  expect(await faultsOf(page, 'captures of a record')).toEqual([])
  await details.getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete this capture' })
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('This record no longer has captures')).toBeVisible()
  await expect(page.getByRole('dialog', { name: 'Sealed captures' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Sealed' })).toHaveCount(0)

  await page.goto(`${IODS}?q=${mark}`)
  await openEvidence(page)
  await expect(pieceOf(page).getByText('Deleted capture')).toBeVisible()
  await expect(pieceOf(page).locator('mark')).toHaveText(words)
  await expect(pieceOf(page).getByRole('button', { name: 'Verify' })).toHaveCount(0)
  await pieceOf(page).getByRole('button', { name: 'Delete' }).click()
  const confirm = page.getByRole('dialog', { name: 'Delete evidence' })
  await confirm.getByRole('button', { name: 'Delete' }).click()
  await expect(drawerOf(page).getByText('No evidence yet')).toBeVisible()
  await expect(drawerOf(page)).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(drawerOf(page)).toHaveCount(0)
})
