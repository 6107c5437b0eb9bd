import { capturesInternal } from '@iodine/contracts'
import { checkTimestamp } from '@iodine/evidence/timestamp'
import { type Part, readConfig } from '@iodine/service-kit'
import { type ServiceFixture, startServiceFixture } from '@iodine/test-kit'
import { startTsa, type Tsa, type TsaBehaviour } from '@iodine/test-kit/tsa'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { timestampOf } from '../src/anchors/authority.js'
import { createApp, workersConfigSchema } from '../src/index.js'

const TEXT = '{"size":3}'

let fixture: ServiceFixture
let tsa: Tsa
beforeAll(async () => {
  ;[fixture, tsa] = await Promise.all([startServiceFixture(), startTsa()])
})
afterAll(async () => {
  await fixture?.stop()
  await tsa?.stop()
})
beforeEach(() => tsa.behave({}))

it('requests a timestamp of the newest checkpoint and delivers the token to the collector', async () => {
  const kept: { size: number; tsa: string; token: string }[] = []
  fixture.answer(capturesInternal.getDueAnchor, () => ({
    due: kept.length > 0 ? null : { size: 3, text: TEXT },
  }))
  fixture.answer(capturesInternal.storeAnchor, ({ body }) => {
    kept.push(body)
    return { size: body.size }
  })
  const env = { ...fixture.env, SMTP_URL: 'smtp://127.0.0.1:1', TSA_URL: `${tsa.url}?key=secret` }
  const workers: Part = await createApp(readConfig(workersConfigSchema, env), fixture.deps)
  try {
    await expect.poll(() => kept.length, { timeout: 20_000 }).toBe(1)
  } finally {
    await workers.close()
  }
  // The query of the URL may contain a secret of the operator.
  expect(kept).toMatchObject([{ size: 3, tsa: tsa.url }])
  const token = Uint8Array.from(Buffer.from(kept[0]?.token ?? '', 'base64'))
  expect(await checkTimestamp(token, TEXT, [tsa.ca])).toMatchObject({ authority: 'Test TSA' })
})

const lies: [string, TsaBehaviour, string][] = [
  ['refuses', { status: 2 }, 'was not granted: status 2'],
  ['stamps another hash', { lie: 'imprint' }, 'is for other data'],
  ['answers another request', { lie: 'nonce' }, 'answers another request'],
  ['has a certificate for other purposes', { lie: 'purpose' }, 'for other purposes'],
  ['signs falsely', { lie: 'signature' }, 'is not signed by the certificate'],
  ['answers with an error', { http: 'error' }, 'status 500'],
  ['answers with 10 MiB', { http: 'large' }, 'more than 65536 bytes'],
  ['redirects', { http: 'redirect' }, 'fetch failed'],
  ['answers with something else', { http: 'garbage' }, 'time-stamping authority 127.0.0.1'],
  ['hangs', { http: 'hang' }, 'timeout'],
]
it.each(lies)('rejects the response of an authority that %s', async (_, behaviour, why) => {
  tsa.behave(behaviour)
  // Only the hanging authority reaches the timeout.
  const waitMs = behaviour.http === 'hang' ? 300 : undefined
  await expect(timestampOf(tsa.url, TEXT, waitMs)).rejects.toThrow(why)
})
