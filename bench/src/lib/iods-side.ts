import { authApi, profileApi } from '@iodine/contracts'
import { startEmbeddedMongo } from '@iodine/embedded-mongo'
import { apiClient, startProduct, temporaryFolder } from '@iodine/test-kit'
import { MongoClient } from 'mongodb'
import { Agent, request } from 'undici'
import { seedIods } from './seed-iods.js'

/** A product over so many IODs, with somebody signed in. */
export const startSide = async (total: number) => {
  const folder = temporaryFolder()
  const mongo = await startEmbeddedMongo({ dataDir: folder.path, isolate: 'process' })
  const client = await new MongoClient(mongo.uri).connect()
  const db = client.db('iodine_iods')
  await seedIods(db, total)
  const started = performance.now()
  const product = await startProduct({ MONGODB_URI: mongo.uri, RATE_LIMITS: 'off' })
  const startMs = performance.now() - started
  const email = 'bench@example.org'
  const anonymous = apiClient(product.url)
  await anonymous.call(authApi.requestMagicLink, { body: { email } })
  const link = new URL(await product.mailedLink(email))
  const { access_token: token } = await anonymous.call(authApi.verifyMagicLink, {
    body: { token: link.searchParams.get('token') ?? '' },
  })
  await apiClient(product.url, token).call(profileApi.setupUsername, { body: { username: 'bench' } })
  const agent = new Agent({ connections: 32 })
  const get = async (path: string) => {
    const answer = await request(`${product.url}/api/v1/iods${path}`, {
      dispatcher: agent,
      headers: { authorization: `Bearer ${token}` },
    })
    const text = await answer.body.text()
    if (answer.statusCode !== 200) throw new Error(`GET ${path}: ${answer.statusCode} ${text}`)
    return JSON.parse(text) as unknown
  }
  return {
    total,
    product,
    iods: db.collection('iods'),
    startMs,
    token,
    get,
    async stop() {
      await agent.close()
      await product.stop()
      await client.close()
      await mongo.stop()
      folder.remove()
    },
  }
}
export type Side = Awaited<ReturnType<typeof startSide>>
