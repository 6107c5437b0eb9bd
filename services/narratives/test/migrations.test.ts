import { connectMongo, readConfig } from '@iodine/service-kit'
import { type ServiceBed, startServiceBed } from '@iodine/test-kit'
import { Types } from 'mongoose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createApp, narrativesConfigSchema } from '../src/index.js'
import { graphKeysOf } from '../src/models/narrative.js'

let bed: ServiceBed
beforeAll(async () => {
  bed = await startServiceBed()
})
afterAll(() => bed.stop())

it('lets a node’s narratives be found among those from before they were indexed by node', async () => {
  const mongo = await connectMongo(bed.mongo.url, `${bed.env.MONGODB_PREFIX}_narratives`)
  try {
    const narratives = mongo.collection('narratives')
    const triplets = [{ id: 1, subject: 'The Moon', verb: 'orbits', object: 'Earth' }]
    const old = (n: number, state: string) => ({
      user_id: new Types.ObjectId(),
      text: `text ${n}`,
      created_at: new Date(0),
      state,
      open_key: `${n}`,
      triplets: state === 'done' ? triplets : [],
      link_keys: [],
      graph: null,
      repairs: 0,
    })
    // More than one batch.
    await narratives.insertMany(Array.from({ length: 1_001 }, (_, n) => old(n, 'done')))
    await narratives.insertOne(old(1_001, 'failed'))
    const config = readConfig(narrativesConfigSchema, bed.env)
    await (await createApp(config, bed.deps)).close()
    const { node_keys, link_keys } = graphKeysOf(triplets)
    expect(node_keys).toHaveLength(3)
    expect(await narratives.countDocuments({ node_keys, link_keys })).toBe(1_001)
    expect(await narratives.countDocuments({ state: 'failed', node_keys: { $exists: true } })).toBe(0)
    expect(await mongo.collection('migrations').distinct('migrationName')).toEqual([
      '0001-node-keys',
      '0002-canonical-narratives',
      '0003-case-folding',
    ])
  } finally {
    await mongo.close()
  }
})
