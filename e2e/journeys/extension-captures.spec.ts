import { createHash } from 'node:crypto'
import { capturesApi, evidenceApi, iodsApi, sealsApi } from '@iodine/contracts'
import { PIXEL } from '../support/captures.js'
import { fixture, launchCollector, pressSwitch, signIn, startSites } from '../support/collector.js'
import { downloadWacz, openEvidence, pieceOf, verifyPiece } from '../support/evidence.js'
import { expect, test } from '../support/fixtures.js'
import { openIodForm, pressCreateIod } from '../support/iod-form.js'
import { checks, choose, failing, flipAddress, verifyByCommand } from '../support/verify.js'

const HOSTS = ['*.tiktok.com', 't.me', 'blog.example.org']

test('a collected page is sealed: another member verifies the quote, and the file verifies offline', async ({
  app,
  person,
  openAs,
  page,
}) => {
  const [ana, bo] = await Promise.all([person('collects'), person('checks')])
  const words = `giant mirrors heat lake ${Date.now().toString(36)}`
  const { url, html } = fixture('telegram', 'single')
  const sites = await startSites()
  sites.serve(url, html.replace('The one', `They say: ${words}, and the fish are dying.`))
  const collector = await launchCollector({ sites, hosts: HOSTS, app: app.url, draws: true })
  const captures = () => ana.api.call(capturesApi.listCaptures, { query: {} })

  await test.step('the capture of a collected post is sealed with the sent record', async () => {
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
    await pressSwitch(popup, 'Mark known IODs on t.me')
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

  const file = await test.step('another member reads it in context and verifies it', async () => {
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

  await test.step('the file verifies without a server, until one bit is flipped', async () => {
    const pem = (await bo.api.call(sealsApi.getSealKeys))[0]?.public_key ?? ''
    const flipped = flipAddress(file, 't.me/')
    await page.goto('/verify')
    await choose(page, 'post.wacz', file)
    await expect(page.getByText('Unchanged since it was sealed')).toBeVisible()
    await expect(failing(page)).toHaveCount(0)
    await page.getByText('What was checked').click()
    expect(await checks(page).count()).toBeGreaterThan(4)
    await choose(page, 'post.wacz', flipped)
    await expect(failing(page)).toHaveText([/iodine\/manifest\.json/, /does not match the seal/])
    expect(await verifyByCommand(file, pem)).toEqual([
      0,
      expect.stringContaining('signed with the given key'),
    ])
    expect(await verifyByCommand(flipped, pem)).toEqual([1, expect.stringContaining('iodine/manifest.json')])
  })
})

test('selected words become evidence of an existing IOD, but hidden words do not', {
  tag: '@long',
}, async ({ app, person }) => {
  const [ana, bo] = await Promise.all([person('finds'), person('found')])
  const mark = Date.now().toString(36)
  const [known, hidden] = [`lakes boil ${mark}`, `nobody reads ${mark}`]
  const existing = await bo.api.call(iodsApi.createIod, {
    body: { value: known, category: 'SENTENCE', description: 'Seen', source_type: 'MANUAL' },
  })
  const url = 'https://blog.example.org/lakes?from=list#end'
  const sites = await startSites()
  sites.serve(
    url,
    `<!doctype html><html lang="en"><head><title>Lakes</title></head><body><nav>Menu</nav>
    <main><h1>Lakes</h1><img src="/grey.png" alt=""><img src="https://t.me/grey.png" alt="">
    <p>They told us: ${known}.</p><p style="opacity: 0">${hidden}</p>
    <form>${['localName', 'nodeType', 'attributes', 'childNodes', 'shadowRoot', 'hasAttribute']
      .map(name => `<input name="${name}" value="typed">`)
      .join('')}<p>In a form.</p></form>
    <script>document.title = 'Lakes, changed'</script></main></body></html>`,
  )
  for (const host of ['blog.example.org', 't.me']) sites.serve(`https://${host}/grey.png`, PIXEL, 'image/png')
  const collector = await launchCollector({ sites, hosts: HOSTS, app: app.url })
  const { page, popup } = await collector.open(url)
  await signIn(popup, ana)
  await pressSwitch(popup, 'Mark known IODs on blog.example.org')
  await expect(popup.getByLabel('Mark known IODs on blog.example.org')).toBeChecked()
  const evidenceOf = (id: string) => ana.api.call(evidenceApi.listEvidence, { params: { id }, query: {} })

  await test.step('the second press adds the quote to another user’s IOD', async () => {
    await openIodForm(page, known)
    await pressCreateIod(page)
    await expect
      .poll(() => evidenceOf(existing.id))
      .toMatchObject([
        {
          exact: known,
          prefix: 'Lakes\nThey told us: ',
          suffix: '.\nIn a form.',
          created_by_username: ana.username,
        },
      ])
    const [{ capture_id: id } = { capture_id: null }] = await evidenceOf(existing.id)
    const { text } = await ana.api.call(capturesApi.getCaptureText, { params: { id: id ?? '' } })
    expect(text).toBe(`Lakes\nThey told us: ${known}.\nIn a form.`)
    const { manifest } = await ana.api.call(capturesApi.getCapture, { params: { id: id ?? '' } })
    expect(manifest).toMatchObject({ url: 'https://blog.example.org/lakes?from=list', trigger: 'iod' })
    expect(manifest.blobs.map(({ role }) => role)).toEqual(['text', 'dom', 'media'])
    expect(manifest.blobs[2]).toEqual({
      role: 'media',
      type: 'image/png',
      url: 'https://blog.example.org/grey.png',
      bytes: PIXEL.length,
      sha256: createHash('sha256').update(PIXEL).digest('hex'),
    })
    expect(await ana.api.call(iodsApi.listIods, { query: { q: known } })).toHaveLength(1)
  })

  await test.step('words outside of the text create an IOD without evidence, with a note', async () => {
    await openIodForm(page, hidden)
    // The first press creates the IOD, the second closes the note.
    await pressCreateIod(page)
    const [created] = await ana.api.call(iodsApi.listIods, { query: { q: hidden } })
    expect(created).toMatchObject({ value: hidden })
    expect(await evidenceOf(created?.id ?? '')).toEqual([])
    expect(await ana.api.call(capturesApi.listCaptures, { query: {} })).toHaveLength(1)
  })

  await test.step('the popup shows that a picture of another site is not in the capture', async () => {
    await popup.getByRole('button', { name: 'Collect this article' }).click()
    await expect(popup.getByText('A picture of the last page could not be read')).toBeVisible()
    await expect.poll(() => ana.api.call(capturesApi.listCaptures, { query: {} })).toHaveLength(2)
    await expect(popup.getByText('waiting to be sealed')).toHaveCount(0)
  })

  await test.step('a page is captured under its URL after a client-side navigation', async () => {
    await page.evaluate(() => history.pushState(null, '', '/lakes/2'))
    await popup.getByRole('button', { name: 'Collect this article' }).click()
    await expect
      .poll(async () => (await ana.api.call(capturesApi.listCaptures, { query: {} })).map(each => each.url))
      .toEqual([
        'https://blog.example.org/lakes/2',
        'https://blog.example.org/lakes?from=list',
        'https://blog.example.org/lakes?from=list',
      ])
    await page.evaluate(() => history.back())
  })

  await test.step('with the option off, pages are collected without captures', async () => {
    const options = await collector.context.newPage()
    await options.goto(new URL('options.html', popup.url()).href)
    await pressSwitch(options, 'Seal a copy of collected pages')
    await expect(options.getByLabel('Seal a copy of collected pages')).not.toBeChecked()
    await popup.getByRole('button', { name: 'Collect this article' }).click()
    await expect(popup.getByText('1 unchanged')).toBeVisible()
    await expect(popup.getByText('waiting to be sealed')).toHaveCount(0)
    expect(await ana.api.call(capturesApi.listCaptures, { query: {} })).toHaveLength(3)
  })
  await collector.close()
  await sites.stop()
})
