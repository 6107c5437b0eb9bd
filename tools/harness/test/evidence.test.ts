import {
  accountsInternal,
  campaignsApi,
  capturesApi,
  collectorApi,
  evidenceApi,
  iodsApi,
  narrativesApi,
  profileApi,
} from '@iodine/contracts'
import { canonicalJson } from '@iodine/evidence'
import { iodInput, type SignedInUser, sealCapture, tiktokPost } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startTestApp, type TestApp } from '../src/index.js'

const VALUE = 'Giant mirrors heat the lake'
const TEXT = `They say so:\n${VALUE} 🛰, and nobody asks.`

let app: TestApp
let ana: SignedInUser
let bo: SignedInUser
beforeAll(async () => {
  app = await startTestApp()
  ;[ana, bo] = await Promise.all([app.signUp(), app.signUp()])
})
afterAll(() => app?.stop())

const place = (text: string, exact: string) => {
  const start = text.indexOf(exact)
  return { start, end: start + exact.length, exact }
}
let made = 0
const iodOf = (value = `${VALUE} ${++made}`) => ana.api.call(iodsApi.createIod, { body: iodInput({ value }) })
const list = ({ api }: SignedInUser, id: string) => api.call(evidenceApi.listEvidence, { params: { id } })

const PAGE = { source: 'tiktok', url: 'https://www.tiktok.com/@night.watch/video/1' } as const
/** Seals a page and its record. Resolves to the capture's id. */
const capture = async ({ api }: SignedInUser, text: string, record: object = tiktokPost()) =>
  (await sealCapture(api.call, { text, record: canonicalJson(record), manifest: PAGE })).id

it('shows a quote of a sealed capture to all users, and the capture only if shared, until it is erased', async () => {
  const iod = await iodOf()
  const text = TEXT.replace(VALUE, iod.value)
  const capture_id = await capture(ana, text)
  const evidence = await ana.api.call(evidenceApi.addEvidence, {
    params: { id: iod.id },
    body: { capture_id, ...place(text, iod.value) },
  })
  expect(evidence).toMatchObject({
    kind: 'capture',
    relation: 'same',
    prefix: 'They say so:\n',
    suffix: ' 🛰, and nobody asks.',
    url: 'https://www.tiktok.com/@night.watch/video/1',
    open: true,
  })
  const { seal } = await ana.api.call(capturesApi.getCapture, { params: { id: capture_id } })
  expect(evidence.seal).toEqual(seal)

  const shown = async () => (await list(bo, iod.id))[0]
  const path = `/captures/${capture_id}`
  expect(await shown()).toEqual({ ...evidence, open: false })
  expect((await bo.api.send('GET', path)).status).toBe(404)
  await ana.api.call(capturesApi.shareCapture, { params: { id: capture_id }, body: { shared: true } })
  expect(await shown()).toEqual({ ...evidence, shared: true })
  expect((await bo.api.send('GET', path)).status).toBe(200)

  const { id } = await bo.api.call(campaignsApi.createCampaign, { body: { name: 'Mirrors' } })
  await bo.api.call(campaignsApi.addIod, { params: { id }, body: { iod_id: iod.id } })
  for (const format of ['json', 'stix', 'misp']) {
    const exported = JSON.stringify(
      (await bo.api.send('GET', `/campaigns/${id}/export?format=${format}`)).body,
    )
    expect(exported).not.toContain(seal?.manifest_hash)
    const query = `format=${format}&evidence=true`
    const whole = JSON.stringify((await bo.api.send('GET', `/campaigns/${id}/export?${query}`)).body)
    expect(whole).toContain(seal?.manifest_hash)
  }

  await ana.api.call(capturesApi.deleteCapture, { params: { id: capture_id } })
  expect(await shown()).toEqual({ ...evidence, capture_id: null, seal: null, open: false })
})

it('quotes a record from its sealed capture, else from the stored record', async () => {
  const iod = await iodOf()
  const description = `${iod.value} – so they say`
  const records = [tiktokPost({ description }), tiktokPost({ description })]
  const { results } = await ana.api.call(collectorApi.ingestRecords, {
    params: { source: 'tiktok' },
    body: { records },
  })
  const [sealed, plain] = results.map(result => ('id' in result ? result.id : ''))
  const capture_id = await capture(ana, 'Another text', records[0])
  const quote = (id = '') => ({
    record: { source: 'tiktok' as const, id },
    role: 'record' as const,
    pointer: '/main/description',
    ...place(description, iod.value),
  })
  const params = { id: iod.id }
  const added = await ana.api.call(evidenceApi.addEvidence, { params, body: quote(sealed) })
  expect(added).toMatchObject({
    kind: 'capture',
    capture_id,
    role: 'record',
    seal: { seq: expect.any(Number) },
  })
  expect(await ana.api.call(evidenceApi.addEvidence, { params, body: quote(plain) })).toMatchObject({
    kind: 'record',
    capture_id: null,
    seal: null,
    suffix: ' – so they say',
  })
  expect((await bo.api.send('POST', `/iods/${iod.id}/evidence`, quote(plain))).status).toBe(404)
})

it('uses a narrative’s citation as the quote of an IOD from its triplet', async () => {
  app.ai.always({ triplets: [{ subject: 'mirrors', verb: 'heats', object: 'lakes' }] })
  await ana.api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-anything' } })
  const { id } = await ana.api.call(narrativesApi.createNarrative, { body: { text: TEXT } })
  const narrative = await ana.api.call(narrativesApi.getNarrative, { params: { id } })
  const [citation] = await ana.api.call(narrativesApi.listCitations, { params: { id } })
  const { triplet_id, start, end } = citation ?? expect.unreachable()
  expect(triplet_id).toBe(narrative.triplets[0]?.id)
  const exact = TEXT.slice(start, end)
  expect(exact).toBe(`${VALUE} 🛰, and nobody asks.`)
  const iod = await ana.api.call(iodsApi.createIod, {
    body: { ...iodInput({ value: 'mirrors heats lakes', category: 'NARRATIVE_TRIPLET' }) },
  })
  const params = { id: iod.id }
  const body = { narrative_id: id, start, end, exact }
  expect(await ana.api.call(evidenceApi.addEvidence, { params, body })).toMatchObject({
    kind: 'narrative',
    relation: 'part',
    seal: null,
  })
  expect((await bo.api.send('POST', `/iods/${iod.id}/evidence`, { ...body, exact })).status).toBe(404)
})

it('keeps excerpts of a deleted account without author, capture and seal', { tags: 'long' }, async () => {
  const dora = await app.signUp()
  const iod = await iodOf()
  const text = TEXT.replace(VALUE, iod.value)
  const capture_id = await capture(dora, text)
  const params = { id: iod.id }
  const body = { capture_id, ...place(text, iod.value) }
  const evidence = await dora.api.call(evidenceApi.addEvidence, { params, body })
  await app.peers.call('auth', accountsInternal.deleteAccount, { body: { email: dora.email } })
  await vi.waitFor(
    async () =>
      expect(await list(bo, iod.id)).toEqual([
        {
          ...evidence,
          capture_id: null,
          seal: null,
          open: false,
          created_by_id: null,
          created_by_username: null,
        },
      ]),
    30_000,
  )
})
