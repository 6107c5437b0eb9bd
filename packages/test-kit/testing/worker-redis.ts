/**
 * Global set-up of vitest: starts one Redis for each worker, which its test files share one after another
 * (`shareTestRedis`). Starting one for each file takes longer than the tests of many files.
 */
import { availableParallelism } from 'node:os'
import { startTestRedis } from '../src/databases.js'

export default async () => {
  const servers = await Promise.all(Array.from({ length: availableParallelism() + 1 }, startTestRedis))
  process.env.TEST_REDIS_URLS = servers.map(({ url }) => url).join(' ')
  return () => Promise.all(servers.map(({ stop }) => stop()))
}
