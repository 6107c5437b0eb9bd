import { API_BASE, capturesInternal, evidenceInternal, sealsApi } from '@iodine/contracts'
import { checkpointText } from '@iodine/evidence'
import { checkTimestamp } from '@iodine/evidence/timestamp'
import { verifyWacz } from '@iodine/evidence/wacz'
import { newSigningKey, readConfig, type StoreService } from '@iodine/service-kit'
import { type ApiClient, apiClient, type ServiceBed, sealCapture, startServiceBed } from '@iodine/test-kit'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { collectorConfigSchema, createApp } from '../src/index.js'
import { startTsa, type Tsa, type TsaBehaviour } from './tsa-server.js'

let bed: ServiceBed
let service: StoreService
let tsa: Tsa
let url: string
let token: string
let api: ApiClient

beforeAll(async () => {
  ;[bed, tsa] = await Promise.all([startServiceBed(), startTsa()])
  const env = { ...bed.env, TSA_URL: tsa.url, SEAL_PRIVATE_KEY: newSigningKey() }
  service = await createApp(readConfig(collectorConfigSchema, env), bed.deps)
  url = await bed.listen(service)
  bed.answer(evidenceInternal.getCaptureEvidence, () => [])
  ;({ token } = await bed.user('ana'))
  api = apiClient(url, token)
})
afterAll(async () => {
  await service?.close()
  await bed?.stop()
  await tsa?.stop()
})
beforeEach(() => tsa.behave({}))

let made = 0
const seal = () => sealCapture(api.call, { text: `page ${++made}`, dom: `<p>page ${made}</p>` })
const anchor = () => bed.internal(capturesInternal.anchorLog)
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

it('has the newest checkpoint time-stamped once, and each capture shows the first stamp after its seal', async () => {
  expect(await anchor()).toEqual({ size: null })
  const first = await seal()
  const second = await seal()
  expect((await timeOf(first.id)).time).toBeUndefined()
  expect(await anchor()).toEqual({ size: second.seq + 1 })
  expect(await anchor()).toEqual({ size: null })

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
    expect(time).toMatchObject({ ok: true, says: expect.stringMatching(/log of 2, .* by Test TSA at 20/) })
    expect((await timeOf(id)).time?.says).toContain('was not checked')
  }
  const stranger = await startTsa()
  expect(await timeOf(first.id, [stranger.ca])).toMatchObject({ verdict: 'changed', time: { ok: false } })
  expect(await timeOf(first.id, ['no certificate'])).toMatchObject({
    verdict: 'changed',
    time: { ok: false },
  })
  await stranger.stop()
  expect(await anchor()).toEqual({ size: third.seq + 1 })
  expect((await timeOf(first.id)).time?.says).toContain('log of 2,')
})

const lies: [string, TsaBehaviour, string][] = [
  ['refuses', { status: 2 }, 'was not granted: status 2'],
  ['stamps another hash', { lie: 'imprint' }, 'is of something else'],
  ['answers another request', { lie: 'nonce' }, 'answers another request'],
  ['has a certificate for other purposes', { lie: 'purpose' }, 'for other purposes'],
  ['signs falsely', { lie: 'signature' }, 'is not signed by the certificate'],
  ['answers with an error', { http: 'error' }, 'answered 500'],
  ['answers with 10 MiB', { http: 'large' }, 'has more than 65536 bytes'],
  ['redirects', { http: 'redirect' }, 'fetch failed'],
  ['answers with something else', { http: 'garbage' }, 'the time-stamping authority'],
]
it.each(lies)('keeps nothing of an authority that %s, and goes on sealing', async (_, behaviour, why) => {
  const { seq } = await seal()
  tsa.behave(behaviour)
  await expect(anchor()).rejects.toMatchObject({ status: 503, detail: expect.stringContaining(why) })
  expect((await api.call(sealsApi.getCheckpoint)).anchors).toEqual([])
  tsa.behave({})
  expect(await anchor()).toEqual({ size: seq + 1 })
})

it('goes on sealing while an authority hangs', async () => {
  await seal()
  tsa.behave({ http: 'hang' })
  const waiting = anchor().catch(error => error)
  const { seq } = await seal()
  expect(await waiting).toMatchObject({ status: 503 })
  tsa.behave({})
  expect(await anchor()).toEqual({ size: seq + 1 })
}, 40_000)
