import { connectMongo, readConfig } from '@iodine/service-kit'
import { type ServiceBed, startServiceBed } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { collectorConfigSchema, createApp } from '../src/index.js'

let bed: ServiceBed
beforeAll(async () => {
  bed = await startServiceBed()
})
afterAll(() => bed.stop())

it('drops what earlier versions kept at the first start, and starts where there are none', async () => {
  const mongo = await connectMongo(bed.mongo.url, `${bed.env.MONGODB_PREFIX}_collector`)
  const names = async () => (await mongo.listCollections()).map(({ name }) => name)
  const start = async () => (await createApp(readConfig(collectorConfigSchema, bed.env), bed.deps)).close()
  try {
    await mongo.collection('counts').insertOne({ tiktok: 1 })
    await mongo.collection('log_state').insertOne({ size: 0, frontier: [] })
    await start()
    expect(await names()).toContain('records')
    expect(await names()).not.toContain('counts')
    expect(await names()).not.toContain('log_state')
    await mongo.collection('migrations').deleteMany({})
    await start()
    expect(await names()).toContain('migrations')
  } finally {
    await mongo.close()
  }
})
