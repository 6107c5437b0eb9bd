/** @module-tag long */
import { collectorApi, DETAILS, recordImportsApi } from '@iodine/contracts'
import { connectMongo } from '@iodine/service-kit'
import { type SignedInUser, tiktokPost } from '@iodine/test-kit'
import { Types } from 'mongoose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../src/index.js'

/** Reached within seconds: the limit counts the requests of a minute. */
const LIMIT = 100
const SCRIPTS = 8
const TOTAL = 1_000_000

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ env: { RATE_LIMITS: 'on', USER_REQUESTS_A_MINUTE: String(LIMIT) } })
})
afterAll(() => app?.stop())

const imported = () => ({
  ...tiktokPost(),
  collector_metadata: { fetch_timestamp: new Date().toISOString(), source: 'import:zeeschuimer' },
})

/** Sends an import of a million records one by one until a batch is refused. Returns the number of accepted ones. */
const sendOneByOne = async ({
  api,
}: SignedInUser): Promise<{ id: string; sent: number; refusal: unknown }> => {
  const body = { format: 'zeeschuimer', file_name: 'all.ndjson', file_sha256: 'ab'.repeat(32), total: TOTAL }
  const { id } = await api.call(recordImportsApi.createRecordImport, { body: { ...body, new_records: 1 } })
  for (let sent = 0; ; sent++) {
    const batch = { records: [imported()], import_id: id, offset: sent }
    try {
      await api.call(collectorApi.ingestRecords, { params: { source: 'tiktok' }, body: batch })
    } catch (refusal) {
      return { id, sent, refusal }
    }
  }
}

it('imports of one record a request are limited like other requests, while those of others are answered', async () => {
  const [ana, bo] = [await app.signUp(), await app.signUp()]
  let isSending = true
  const scripts = Promise.all(Array.from({ length: SCRIPTS }, () => sendOneByOne(ana))).finally(() => {
    isSending = false
  })
  let answered = 0
  for (; isSending && answered < LIMIT / 2; answered++) {
    const { results } = await bo.api.call(collectorApi.ingestRecords, {
      params: { source: 'tiktok' },
      body: { records: [tiktokPost()] },
    })
    expect(results).toMatchObject([{ status: 'created' }])
  }
  const runs = await scripts
  expect(answered).toBeGreaterThan(0)
  const sent = runs.reduce((sum, run) => sum + run.sent, 0)
  expect(sent).toBeLessThanOrEqual(LIMIT)
  expect(sent).toBeGreaterThan(LIMIT / 2)
  for (const { refusal } of runs)
    expect(refusal).toMatchObject({ status: 429, detail: DETAILS.tooManyRequests })
  const mongo = await connectMongo(app.mongoUrl, `${app.prefix}_collector`)
  try {
    const imports = await mongo.collection('imports').find().toArray()
    const received = new Map(imports.map(each => [each._id.toString(), each.received]))
    expect(received).toEqual(new Map(runs.map(({ id, sent }) => [id, sent])))
    const user_id = new Types.ObjectId(ana.id)
    expect(await mongo.collection('records').countDocuments({ user_id })).toBe(sent)
  } finally {
    await mongo.close()
  }
})
