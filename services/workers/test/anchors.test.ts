import { capturesInternal } from '@iodine/contracts'
import { checkTimestamp } from '@iodine/evidence/timestamp'
import { type Part, readConfig } from '@iodine/service-kit'
import { type ServiceBed, startServiceBed } from '@iodine/test-kit'
import { startTsa, type Tsa, type TsaBehaviour } from '@iodine/test-kit/tsa'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { timestampOf } from '../src/anchors/authority.js'
import { createApp, workersConfigSchema } from '../src/index.js'

const TEXT = '{"size":3}'

let bed: ServiceBed
let tsa: Tsa
beforeAll(async () => {
  ;[bed, tsa] = await Promise.all([startServiceBed(), startTsa()])
})
afterAll(async () => {
  await bed?.stop()
  await tsa?.stop()
})
beforeEach(() => tsa.behave({}))

it('hand the newest checkpoint to the authority, and its token to the log', async () => {
  const kept: { size: number; tsa: string; token: string }[] = []
  bed.answer(capturesInternal.getDueAnchor, () => ({ due: kept.length > 0 ? null : { size: 3, text: TEXT } }))
  bed.answer(capturesInternal.storeAnchor, ({ body }) => {
    kept.push(body)
    return { size: body.size }
  })
  const env = { ...bed.env, SMTP_URL: 'smtp://127.0.0.1:1', TSA_URL: `${tsa.url}?key=secret` }
  const workers: Part = await createApp(readConfig(workersConfigSchema, env), bed.deps)
  try {
    await expect.poll(() => kept.length, { timeout: 20_000 }).toBe(1)
  } finally {
    await workers.close()
  }
  // What follows the path may be a secret of the operator's.
  expect(kept).toMatchObject([{ size: 3, tsa: tsa.url }])
  const token = Uint8Array.from(Buffer.from(kept[0]?.token ?? '', 'base64'))
  expect(await checkTimestamp(token, TEXT, [tsa.ca])).toMatchObject({ authority: 'Test TSA' })
})

const lies: [string, TsaBehaviour, string][] = [
  ['refuses', { status: 2 }, 'was not granted: status 2'],
  ['stamps another hash', { lie: 'imprint' }, 'is of something else'],
  ['answers another request', { lie: 'nonce' }, 'answers another request'],
  ['has a certificate for other purposes', { lie: 'purpose' }, 'for other purposes'],
  ['signs falsely', { lie: 'signature' }, 'is not signed by the certificate'],
  ['answers with an error', { http: 'error' }, 'status 500'],
  ['answers with 10 MiB', { http: 'large' }, 'more than 65536 bytes'],
  ['redirects', { http: 'redirect' }, 'fetch failed'],
  ['answers with something else', { http: 'garbage' }, 'time-stamping authority 127.0.0.1'],
  ['hangs', { http: 'hang' }, 'timeout'],
]
it.each(lies)('take nothing of an authority that %s', async (_, behaviour, why) => {
  tsa.behave(behaviour)
  // Only the one that hangs is waited for until the end.
  const waitMs = behaviour.http === 'hang' ? 300 : undefined
  await expect(timestampOf(tsa.url, TEXT, waitMs)).rejects.toThrow(why)
})
