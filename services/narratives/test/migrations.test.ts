import { graphApi } from '@iodine/contracts'
import { connectMongo, readConfig } from '@iodine/service-kit'
import { apiClient, type ServiceBed, startServiceBed } from '@iodine/test-kit'
import { Types } from 'mongoose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createApp, narrativesConfigSchema } from '../src/index.js'
import { caseFolding } from '../src/migrations/0003-case-folding.js'
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
      '0004-outbox',
    ])
  } finally {
    await mongo.close()
  }
})

it('gives graph, narratives and decisions the keys of case folding', async () => {
  const service = await createApp(readConfig(narrativesConfigSchema, bed.env), bed.deps)
  const { mongo } = service
  try {
    const user = await bed.user()
    const user_id = new Types.ObjectId(user.id)
    const triplet = { id: 1, subject: 'Ο ΔΡΟΜΟΣ', verb: 'heißt', object: 'Straße' }
    const day = new Date('2026-11-01T00:00:00Z')
    await mongo.collection('narratives').insertOne({
      user_id,
      text: 'a text',
      src: null,
      created_at: day,
      state: 'done',
      open_key: 'folding',
      triplets: [triplet],
      link_keys: ['old'],
      node_keys: ['old'],
      graph: new Types.ObjectId(),
      repairs: 0,
    })
    const keys = { subject_key: 'ο δρομος', verb_key: 'heißt', object_key: 'straße' }
    const { id: _, ...labels } = triplet
    const edge = { user_id, day, src: null, ...labels, ...keys, count: 1, grams: [1] }
    await mongo.collection<{ _id: string }>('edges').insertOne({ _id: 'edge', ...edge })
    const rule = { user_id, kind: 'entity', relation: 'must', at: day, decision: new Types.ObjectId() }
    await mongo.collection('canon_rules').insertMany([
      { ...rule, a: 'ο δρομος', b: 'straße' },
      { ...rule, a: 'maße', b: 'masse' },
    ])
    const canon = { revision: 3, texts: 2, version: 1, method: 'offline' }
    await mongo.collection<{ _id: Types.ObjectId }>('canon').insertOne({ _id: user_id, ...canon })
    const state = async () => ({
      edges: await mongo.collection('edges').find({ user_id }).toArray(),
      rules: await mongo.collection('canon_rules').find({ user_id }).toArray(),
      narratives: await mongo.collection('narratives').find({ user_id }).toArray(),
    })
    await caseFolding.up(mongo)
    const migrated = await state()
    await caseFolding.up(mongo)
    expect(await state()).toEqual(migrated)
    expect(migrated.rules).toMatchObject([{ a: 'ο δρομοσ', b: 'strasse' }])
    expect(migrated.narratives).toMatchObject([graphKeysOf([triplet])])
    expect(await mongo.collection('canon').findOne({ _id: user_id })).toMatchObject({ revision: 5, texts: 4 })
    const api = apiClient(await bed.listen(service), user.token)
    const graph = await api.call(graphApi.getTriplets, { query: { entity: 'ΔΡΌΜΟς'.replace('Ό', 'Ο') } })
    expect(graph.nodes.map(({ id }) => id)).toEqual(['entity:ο δρομοσ', 'verb:heisst', 'entity:strasse'])
  } finally {
    await service.close()
  }
})
