/**
 * `npm run chaos`: injects faults into each part under load, then compares the stored data with the
 * acknowledged writes.
 */
import { prepare } from './build.mjs'
import { handOver, main } from './lib/run.mjs'

await main(async () => {
  await prepare('tools/chaos')
  await handOver('tools/chaos/dist/main.js')
})
