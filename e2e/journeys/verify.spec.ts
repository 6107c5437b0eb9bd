import { capturesApi, type Manifest, sealsApi } from '@iodine/contracts'
import { sha256Hex } from '@iodine/evidence'
import { buildWacz } from '@iodine/evidence/wacz'
import { faultsOf } from '../support/faults.js'
import { expect, type Person, test } from '../support/fixtures.js'
import { watchPolicy } from '../support/policy.js'
import { checks, choose, failing, flipAddress, verifyByCommand } from '../support/verify.js'

const TEXT = 'They say so: giant mirrors heat the lake.'

/** Returns a capture sealed by the app, as a web archive. */
const sealedFile = async ({ api }: Person): Promise<{ wacz: Buffer; pem: string }> => {
  const text = new Uint8Array(Buffer.from(`${TEXT} ${Date.now()}`))
  const sha256 = await sha256Hex(text)
  const manifest: Manifest = {
    v: 1,
    source: 'blog',
    url: 'https://paper.example/lake',
    captured_at: new Date().toISOString(),
    trigger: 'collect',
    collector: 'journey/1',
    projection: 'iodine-text-1',
    blobs: [{ role: 'text', sha256, bytes: text.length, type: 'text/plain' }],
  }
  const { id } = await api.call(capturesApi.createCapture, { body: manifest })
  await api.call(capturesApi.putBlob, { params: { id, sha256 }, body: text })
  const { seal, proof, checkpoint } = await api.call(capturesApi.sealCapture, { params: { id } })
  const keys = await api.call(sealsApi.getSealKeys)
  const evidence = [
    { value: 'mirrors', role: 'text', pointer: '', start: 19, end: 26, created_at: seal.received_at },
  ]
  const blobs = new Map([[sha256, text]])
  const wacz = await buildWacz({ manifest, seal, proof, checkpoint, keys, blobs, evidence })
  return { wacz: Buffer.from(wacz), pem: keys[0]?.public_key ?? '' }
}

test('a capture’s file verifies in the browser and by the command, until one byte is flipped', {
  tag: '@long',
}, async ({ page, person }) => {
  const { wacz, pem } = await sealedFile(await person('ana'))
  const violations = await watchPolicy(page)
  await page.goto('/verify')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Verify a capture or a report')
  await page.waitForLoadState('networkidle')
  const asked: string[] = []
  page.on('request', request => asked.push(request.url()))

  await choose(page, 'lake.wacz', wacz)
  await expect(page.getByText('Unchanged since it was sealed')).toBeVisible()
  await page.getByText('What was checked').click()
  await expect(checks(page)).toHaveCount(6)
  await expect(failing(page)).toHaveCount(0)
  await expect(page.getByText('https://paper.example/lake')).toBeVisible()
  expect(await faultsOf(page, 'good')).toEqual([])
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await faultsOf(page, 'good, on a phone')).toEqual([])

  const flipped = flipAddress(wacz, 'paper.example')
  await choose(page, 'lake.wacz', flipped)
  await expect(failing(page)).toHaveText([/iodine\/manifest\.json/, /does not match the seal/])

  await choose(page, '<img src=x onerror=alert(1)>.wacz', Buffer.from('rubbish'))
  await expect(page.getByText('This file can’t be read')).toBeVisible()
  await expect(page.getByRole('heading', { name: '<img src=x onerror=alert(1)>.wacz' })).toBeVisible()

  await page.getByText('Check the signature with your own copy of the key').click()
  await page.getByRole('textbox').fill(pem.replace(/[A-Z]/, letter => (letter === 'A' ? 'B' : 'A')))
  await choose(page, 'lake.wacz', wacz)
  await expect(failing(page)).toHaveText([/not signed/])
  await page.getByRole('textbox').fill(pem)
  await choose(page, 'lake.wacz', wacz)
  await page.getByText('What was checked').click()
  await expect(page.getByText('signed with the given key')).toBeVisible()
  expect(asked).toEqual([])
  expect(violations).toEqual([])

  await test.step('the command returns the same result with and without the app', async () => {
    expect(await verifyByCommand(wacz, pem)).toEqual([
      0,
      expect.stringContaining('signed with the given key'),
    ])
    expect(await verifyByCommand(flipped, pem)).toEqual([1, expect.stringContaining('iodine/manifest.json')])
    expect(await verifyByCommand(Buffer.from('rubbish'), pem)).toEqual([
      2,
      expect.stringContaining('UNREADABLE'),
    ])
    expect(await verifyByCommand(null, pem)).toEqual([2, expect.stringContaining('does not exist')])
  })
})
