/** `npm run chaos`: breaks the product part by part under load, and compares what it holds with what it acknowledged. */
import { prepare } from './build.mjs'
import { handOver, main } from './lib/run.mjs'

await main(async () => {
  await prepare('tools/chaos')
  await handOver('tools/chaos/dist/main.js')
})
