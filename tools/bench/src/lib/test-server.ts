import { startEmbeddedMongo } from '@iodine/embedded-mongo'
import { NO_LIMITS, type SignedInUser, signUp, startMailCatcher, temporaryFolder } from '@iodine/test-kit'
import { MongoClient } from 'mongodb'

interface Running {
  url: string
  stop(): Promise<unknown>
}

/**
 * Starts a product with a mail catcher and a database that the bench can access: an embedded one in a separate process,
 * as in `npm start`.
 * @param start starts the product with these settings
 * @param options.env settings besides the servers; rate limits are off by default
 * @param options.fill writes to the database before the product starts
 */
export const startTestServer = async <P extends Running>(
  start: (env: Record<string, string>) => Promise<P>,
  { env = NO_LIMITS, fill }: { env?: Record<string, string>; fill?: (uri: string) => Promise<void> } = {},
) => {
  const folder = temporaryFolder()
  const mongo = await startEmbeddedMongo({ dataDir: folder.path, isolate: 'process' })
  const client = await new MongoClient(mongo.uri, { w: 'majority', journal: true }).connect()
  await fill?.(mongo.uri)
  const mail = await startMailCatcher()
  const from = performance.now()
  const product = await start({ MONGODB_URI: mongo.uri, SMTP_URL: mail.url, ...env })
  return {
    product,
    url: product.url,
    client,
    mail,
    /** Time until the product was ready, in milliseconds. */
    startMs: performance.now() - from,
    signUp: (): Promise<SignedInUser> => signUp({ url: product.url, mail }),
    async stop() {
      await client.close()
      await product.stop()
      await mail.stop()
      await mongo.stop()
      folder.remove()
    },
  }
}
