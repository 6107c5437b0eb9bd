import { connectMongo } from '@iodine/service-kit'
import { type ServiceBed, startServiceBed } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
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
    await users.insertOne({ ...old('new@example.org'), announced: false, check_at: new Date() })
    const rig = await startRig(bed)
    const unknown = await users.findOne({ email: 'new@example.org' })
    // The community had not heard of it; the others are not told again.
    await vi.waitFor(
      () => expect(bed.events.map(({ data }) => data.id)).toEqual([String(unknown?._id)]),
      30_000,
    )
    expect(unknown).not.toHaveProperty('announced')
    expect(unknown).not.toHaveProperty('check_at')
    await rig.close()
    const activity = async (email: string): Promise<Date | undefined> =>
      (await users.findOne({ email }))?.last_active_at
    const since = await activity('old@example.org')
    expect(since?.getTime()).toBeGreaterThanOrEqual(started.getTime())
    expect(await activity('used@example.org')).toEqual(noted)

    await (await startRig(bed)).close()
    expect(await activity('old@example.org')).toEqual(since)
    expect(await mongo.collection('migrations').distinct('migrationName')).toEqual([
      '0001-last-active-at',
      '0002-one-spelling-of-addresses',
      '0003-outbox',
    ])

    // Accounts and codes of before addresses had one spelling.
    const apart = 'e\u0301.l@example.org'
    const [composed, twin] = ['\u00e9.l@example.org', 'e\u0301.l@example.org ']
    const made = await users.insertMany([
      { ...old('bo@ex\u00e4mple.org'), last_active_at: noted },
      { ...old(apart), last_active_at: noted },
      { ...old(twin), last_active_at: new Date(0) },
    ])
    const codes = mongo.collection('beta_codes')
    await codes.insertOne({ code: 'A', email: 'bo@ex\u00e4mple.org', used: true, used_by: apart })
    await mongo.collection('migrations').deleteOne({ migrationName: '0002-one-spelling-of-addresses' })
    const again = await startRig(bed)
    try {
      const emailOf = async (at: number) => (await users.findOne({ _id: made.insertedIds[at] }))?.email
      expect([await emailOf(0), await emailOf(1), await emailOf(2)]).toEqual([
        'bo@xn--exmple-cua.org',
        composed,
        twin,
      ])
      expect(await codes.findOne({ code: 'A' })).toMatchObject({
        email: 'bo@xn--exmple-cua.org',
        used_by: composed,
      })
    } finally {
      await again.close()
    }

    await mongo.collection('migrations').insertOne({ migrationName: '9999-of-a-later-version' })
    await expect(startRig(bed)).rejects.toThrow(/newer than this version.*9999-of-a-later-version/)
  } finally {
    await mongo.close()
  }
})
