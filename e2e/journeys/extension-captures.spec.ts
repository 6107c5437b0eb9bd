import { capturesApi, evidenceApi, iodsApi, sealsApi } from '@iodine/contracts'
import {
  fixture,
  launchCollector,
  openIodForm,
  pressCreateIod,
  signIn,
  startSites,
} from '../support/collector.js'
import { downloadWacz, openEvidence, pieceOf, verifyPiece } from '../support/evidence.js'
import { expect, test } from '../support/fixtures.js'
import { checks, choose, failing, flipAddress, verifyByCommand } from '../support/verify.js'

const HOSTS = ['*.tiktok.com', 't.me', 'blog.example.org']

test('what a collector reads is sealed: another member checks the quote, and the file proves itself', async ({
  product,
  person,
  openAs,
  page,
}) => {
  const [ana, bo] = await Promise.all([person('collects'), person('checks')])
  const words = `giant mirrors heat lake ${Date.now().toString(36)}`
  const { url, html } = fixture('telegram', 'single')
  const sites = await startSites()
  sites.serve(url, html.replace('The one', `They say: ${words}, and the fish are dying.`))
  const collector = await launchCollector({ sites, hosts: HOSTS, product: product.url, draws: true })
  const captures = () => ana.api.call(capturesApi.listCaptures, { query: {} })

  await test.step('a post is collected: its capture is sealed with the record that is sent', async () => {
    const { popup } = await collector.openBeside(url)
    await signIn(popup, ana)
    await popup.getByRole('button', { name: 'Collect this post' }).click()
    await expect(popup.getByText('1 collected')).toBeVisible()
    await expect(popup.getByText(/^Sealed as no\. [\d,]+$/)).toBeVisible()
    const [summary] = await captures()
    expect(summary).toMatchObject({ source: 'telegram', url, state: 'sealed', record_id: expect.any(String) })
    const { manifest } = await ana.api.call(capturesApi.getCapture, { params: { id: summary?.id ?? '' } })
    expect(manifest.blobs.map(({ role }) => role)).toEqual(['text', 'dom', 'record', 'screenshot'])
    expect(manifest.trigger).toBe('collect')
    await popup.close()
  })

  const iod = await test.step('the selection becomes an IOD with its evidence', async () => {
    const { page: post, popup } = await collector.open(url)
    await popup.getByLabel('Mark known IODs on t.me').click({ force: true })
    await expect(popup.getByLabel('Mark known IODs on t.me')).toBeChecked()
    await openIodForm(post, words)
    await pressCreateIod(post)
    const [created] = await ana.api.call(iodsApi.listIods, { query: { q: words } })
    const evidence = () =>
      ana.api.call(evidenceApi.listEvidence, { params: { id: created?.id ?? '' }, query: {} })
    await expect
      .poll(evidence)
      .toMatchObject([{ kind: 'capture', role: 'text', exact: words, relation: 'same', url, shared: false }])
    await expect.poll(async () => (await captures()).map(({ state }) => state)).toEqual(['sealed', 'sealed'])
    return created
  })
  await collector.close()
  await sites.stop()

  const file = await test.step('another member reads it in its context, and verifies it', async () => {
    await openAs(bo, `/dashboard/iods?q=${encodeURIComponent(words)}`)
    await openEvidence(page)
    await expect(pieceOf(page).locator('mark')).toHaveText(words)
    await expect(pieceOf(page).locator('blockquote')).toContainText('They say: ')
    await expect(pieceOf(page).locator('blockquote')).toContainText('and the fish are dying.')
    await verifyPiece(page, 3)
    const [piece] = await bo.api.call(evidenceApi.listEvidence, { params: { id: iod?.id ?? '' }, query: {} })
    await ana.api.call(capturesApi.shareCapture, {
      params: { id: piece?.capture_id ?? '' },
      body: { shared: true },
    })
    await page.reload()
    await openEvidence(page)
    await verifyPiece(page, 4)
    return (await downloadWacz(page)).file
  })

  await test.step('the file holds without a server, until one bit of it is flipped', async () => {
    const pem = (await bo.api.call(sealsApi.getSealKeys))[0]?.public_key ?? ''
    const flipped = flipAddress(file, 't.me/')
    await page.goto('/verify')
    await choose(page, 'post.wacz', file)
    await expect(page.getByText('Unchanged since it was sealed')).toBeVisible()
    await expect(failing(page)).toHaveCount(0)
    expect(await checks(page).count()).toBeGreaterThan(4)
    await choose(page, 'post.wacz', flipped)
    await expect(failing(page)).toHaveText([/iodine\/manifest\.json/, /not the one that was sealed/])
    expect(await verifyByCommand(file, pem)).toEqual([
      0,
      expect.stringContaining('signed with the given key'),
    ])
    expect(await verifyByCommand(flipped, pem)).toEqual([1, expect.stringContaining('iodine/manifest.json')])
  })
})
