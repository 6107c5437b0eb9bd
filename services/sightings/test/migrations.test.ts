import { connectMongo, readConfig } from '@iodine/service-kit'
import { newId, startServiceBed } from '@iodine/test-kit'
import { Types } from 'mongoose'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createApp, sightingsConfigSchema } from '../src/index.js'

it('does the runs that an earlier version had not finished, and drops what it kept to queue them', async () => {
  const bed = await startServiceBed()
  const mongo = await connectMongo(bed.mongo.url, `${bed.env.MONGODB_PREFIX}_sightings`)
  onTestFinished(async () => {
    await mongo.close()
    await bed.stop()
  })
  const runs = mongo.collection('runs')
  const now = new Date()
  const old = { owner: new Types.ObjectId(newId()), check_at: now, leased_until: now, lease: 'gone' }
  const question = { kinds: ['link'], window_s: 60, min_participation: 1, since: null, until: null }
  const dates = { created_at: now, expires_at: new Date(now.getTime() + 3_600_000) }
  const run = { ...old, ...question, ...dates, scope: 'own', progress: 0, problem: null, totals: null }
  await runs.insertMany([
    { ...run, state: 'running', place: 0 },
    { ...run, state: 'queued', place: 1 },
    { ...run, state: 'failed' },
  ])
  await runs.createIndex({ place: 1, check_at: 1 })
  await bed.listen(await createApp(readConfig(sightingsConfigSchema, bed.env), bed.deps))
  await vi.waitFor(
    async () =>
      expect((await runs.find().sort({ _id: 1 }).toArray()).map(({ state }) => state)).toEqual([
        'done',
        'done',
        'failed',
      ]),
    30_000,
  )
  for (const field of ['check_at', 'leased_until', 'lease'])
    expect(await runs.countDocuments({ [field]: { $exists: true } })).toBe(0)
  expect((await runs.indexes()).map(({ name }) => name)).not.toContain('place_1_check_at_1')
})
