import { connectMongo } from '@iodine/service-kit'
import { type ServiceBed, startServiceBed } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startRig } from './rig.js'

let bed: ServiceBed
beforeAll(async () => {
  bed = await startServiceBed()
})
afterAll(() => bed.stop())

it('lets accounts from before activity was noted count from the first start of this version, and not anew at each', async () => {
  const mongo = await connectMongo(bed.mongo.url, `${bed.env.MONGODB_PREFIX}_auth`)
  try {
    const users = mongo.collection('users')
    const old = (email: string) => ({
      email,
      username: null,
      created_at: new Date(0),
      revision: 0,
      announced: true,
    })
    const noted = new Date('2026-01-02T03:04:05Z')
    await users.insertMany([old('old@example.org'), { ...old('used@example.org'), last_active_at: noted }])
    const started = new Date()
    await (await startRig(bed)).close()
    const activity = async (email: string): Promise<Date | undefined> =>
      (await users.findOne({ email }))?.last_active_at
    const since = await activity('old@example.org')
    expect(since?.getTime()).toBeGreaterThanOrEqual(started.getTime())
    expect(await activity('used@example.org')).toEqual(noted)

    await (await startRig(bed)).close()
    expect(await activity('old@example.org')).toEqual(since)
    expect(await mongo.collection('migrations').distinct('migrationName')).toEqual(['0001-last-active-at'])

    await mongo.collection('migrations').insertOne({ migrationName: '9999-of-a-later-version' })
    await expect(startRig(bed)).rejects.toThrow(/newer than this version.*9999-of-a-later-version/)
  } finally {
    await mongo.close()
  }
})
