import { connectMongo, readConfig } from '@iodine/service-kit'
import { type ServiceBed, startServiceBed } from '@iodine/test-kit'
import { Types } from 'mongoose'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { campaignsConfigSchema, createApp } from '../src/index.js'
import { workDone } from './work.js'

let bed: ServiceBed
beforeAll(async () => {
  bed = await startServiceBed()
})
afterAll(() => bed.stop())

it('goes on with imports and publications that the previous version has left', async () => {
  const mongo = await connectMongo(bed.mongo.url, `${bed.env.MONGODB_PREFIX}_campaigns`)
  const [imports, publications] = [mongo.collection('imports'), mongo.collection('publications')]
  const day = 24 * 3_600_000
  const anImport = (state: string, expires_at: Date | null = null) => ({
    _id: new Types.ObjectId(),
    campaign_id: new Types.ObjectId(),
    user_id: new Types.ObjectId(),
    format: 'stix',
    bytes: 0,
    state,
    makes_iods: true,
    parts: 0,
    cursor: 0,
    objects: 0,
    created_at: new Date(0),
    expires_at,
    check_at: new Date(8e15),
  })
  const [planning, applying, done] = ['planning', 'applying', 'done'].map(state => anImport(state))
  const waiting = anImport('planned', new Date(Date.now() + day))
  const gone = ['receiving', 'removing'].map(state => anImport(state))
  const old = anImport('planned', new Date(0))
  const all = [planning, applying, done, waiting, ...gone, old]
  const aPublication = (state: string) => ({
    _id: new Types.ObjectId(),
    collection_id: state,
    user_id: null,
    wanted: false,
    state,
    asked: 1,
    tlp: 0,
    rows: 0,
    revoked: 0,
    bytes: 0,
    check_at: new Date(8e15),
  })
  const due = aPublication('due')
  try {
    await imports.insertMany(all as never[])
    await publications.insertMany([due, aPublication('published')])
    for (const each of [imports, publications]) await each.createIndex({ state: 1, check_at: 1 })
    const service = await createApp(readConfig(campaignsConfigSchema, bed.env), bed.deps)
    await bed.listen(service)
    await workDone(service)
    const left = await imports.find({}).sort({ _id: 1 }).toArray()
    expect(left.map(({ _id, state }) => [String(_id), state])).toEqual([
      [String(planning?._id), 'planned'],
      [String(applying?._id), 'done'],
      [String(done?._id), 'done'],
      [String(waiting._id), 'planned'],
    ])
    expect((await publications.findOne({ _id: due._id }))?.state).toBe('withdrawn')
    for (const each of [imports, publications]) {
      expect(await each.countDocuments({ check_at: { $exists: true } })).toBe(0)
      expect((await each.indexes()).map(({ name }) => name)).not.toContain('state_1_check_at_1')
    }
    const entries = await mongo.collection('outbox').find({}).toArray()
    expect(entries.map(({ key }) => key).sort()).toEqual([planning, waiting].map(each => String(each?._id)))
    await vi.waitFor(async () => expect((await service.outbox.states()).import?.oldestSeconds).toBe(0))
  } finally {
    await mongo.close()
  }
})
