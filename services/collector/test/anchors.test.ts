import {
  API_BASE,
  type Checkpoint,
  capturesApi,
  capturesInternal,
  evidenceInternal,
  sealsApi,
} from '@iodine/contracts'
import { checkpointText } from '@iodine/evidence'
import { checkTimestamp, readTimestamp, timestampRequest } from '@iodine/evidence/timestamp'
import { buildWacz, verifyWacz } from '@iodine/evidence/wacz'
import { readConfig, type StoreService } from '@iodine/service-kit'
import {
  type ApiClient,
  apiClient,
  captureOf,
  type ServiceFixture,
  sealCapture,
  startServiceFixture,
} from '@iodine/test-kit'
import { startTsa, type Tsa } from '@iodine/test-kit/tsa'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { collectorConfigSchema, createApp } from '../src/index.js'

let fixture: ServiceFixture
let service: StoreService
let tsa: Tsa
let url: string
let token: string
let api: ApiClient

beforeAll(async () => {
  ;[fixture, tsa] = await Promise.all([startServiceFixture(), startTsa()])
  service = await createApp(readConfig(collectorConfigSchema, fixture.env), fixture.deps)
  url = await fixture.listen(service)
  fixture.answer(evidenceInternal.getCaptureEvidence, () => [])
  ;({ token } = await fixture.user('ana'))
  api = apiClient(url, token)
})
afterAll(async () => {
  await service?.close()
  await fixture?.stop()
  await tsa?.stop()
})
/** Returns the authority's token over a text, in base64. */
const stamped = async ({ url: tsaUrl }: Tsa, text: string): Promise<string> => {
  const answer = await fetch(tsaUrl, { method: 'POST', body: await timestampRequest(text, 5n) })
  const { token: der } = await readTimestamp(new Uint8Array(await answer.arrayBuffer()), text, 5n)
  return Buffer.from(der).toString('base64')
}
let made = 0
const seal = () => sealCapture(api.call, { text: `page ${++made}`, dom: `<p>page ${made}</p>` })
/** Time-stamps the newest checkpoint as the workers do. Resolves to its size, or null if none is due. */
const anchor = async () => {
  const { due } = await fixture.internal(capturesInternal.getDueAnchor)
  if (!due) return null
  const token = await stamped(tsa, due.text)
  await fixture.internal(capturesInternal.storeAnchor, { body: { size: due.size, tsa: tsa.url, token } })
  return due.size
}
const archive = async (id: string) => {
  const answer = await fetch(`${url}${API_BASE}/captures/${id}/wacz`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect(answer.status).toBe(200)
  return new Uint8Array(await answer.arrayBuffer())
}
const timeOf = async (id: string, authorities: string[] = []) => {
  const { verdict, checks } = await verifyWacz(await archive(id), [], authorities)
  return { verdict, time: checks.find(({ name }) => name === 'time') }
}

it('time-stamps the newest checkpoint once; each capture contains the first time-stamp after its seal', {
  tags: 'long',
}, async () => {
  expect(await anchor()).toBeNull()
  const first = await seal()
  const second = await seal()
  expect((await timeOf(first.id)).time).toBeUndefined()
  expect(await anchor()).toBe(second.seq + 1)
  expect(await anchor()).toBeNull()

  const checkpoint = await api.call(sealsApi.getCheckpoint)
  expect(checkpoint.anchors).toMatchObject([{ tsa: tsa.url, at: expect.any(String) }])
  const stamp = Uint8Array.from(Buffer.from(checkpoint.anchors[0]?.token ?? '', 'base64'))
  expect(await checkTimestamp(stamp, checkpointText(checkpoint), [tsa.ca])).toMatchObject({
    authority: 'Test TSA',
  })

  const third = await seal()
  expect((await timeOf(third.id)).time).toBeUndefined()
  for (const { id } of [first, second]) {
    const { verdict, time } = await timeOf(id, [tsa.ca])
    expect(verdict).toBe('good')
    expect(time).toMatchObject({
      ok: true,
      says: expect.stringMatching(/log of 2 entries, .* by Test TSA at 20/),
    })
    expect((await timeOf(id)).time?.says).toContain('was not checked')
  }
  const stranger = await startTsa()
  expect(await timeOf(first.id, [stranger.ca])).toMatchObject({ verdict: 'changed', time: { ok: false } })
  expect(await timeOf(first.id, ['no certificate'])).toMatchObject({
    verdict: 'changed',
    time: { ok: false },
  })
  await stranger.stop()
  expect(await anchor()).toBe(third.seq + 1)
  expect((await timeOf(first.id)).time?.says).toContain('log of 2 entries,')
})

it.each([
  ['over other data', async (size: number) => ({ size, token: await stamped(tsa, 'something else') }), 422],
  [
    'that is malformed',
    async (size: number) => ({ size, token: Buffer.from('none').toString('base64') }),
    422,
  ],
  ['for an unknown size', async (size: number) => ({ size: size + 1, token: 'bm9uZQ==' }), 404],
] as const)('rejects a token %s', async (_, made, status) => {
  const { seq } = await seal()
  const body = { tsa: tsa.url, ...(await made(seq + 1)) }
  await expect(fixture.internal(capturesInternal.storeAnchor, { body })).rejects.toMatchObject({ status })
  expect((await api.call(sealsApi.getCheckpoint)).anchors).toEqual([])
})

it('rejects a time-stamp of a checkpoint that the server did not sign', async () => {
  const parts = { text: 'a page', dom: '<p>a page</p>' }
  const { id, seal, proof, checkpoint } = await sealCapture(api.call, parts)
  const { manifest } = await api.call(capturesApi.getCapture, { params: { id } })
  const keys = await api.call(sealsApi.getSealKeys)
  const verified = async (later: Checkpoint) => {
    const anchor = { tsa: tsa.url, token: await stamped(tsa, checkpointText(later)), at: later.at }
    const anchored = { checkpoint: { ...later, anchors: [anchor] }, consistency: [] }
    const blobs = captureOf(parts).contents
    const file = await buildWacz({ manifest, seal, proof, checkpoint, anchored, keys, blobs, evidence: [] })
    const { verdict, checks } = await verifyWacz(file, [], [tsa.ca])
    return { verdict, time: checks.find(({ name }) => name === 'time') }
  }
  expect(await verified(checkpoint)).toMatchObject({ verdict: 'good', time: { ok: true } })
  // The same root with an earlier time, without the server's signature.
  expect(await verified({ ...checkpoint, at: '2020-01-01T00:00:00.000Z' })).toMatchObject({
    verdict: 'changed',
    time: { ok: false, says: expect.stringContaining('is not signed with that key') },
  })
})
