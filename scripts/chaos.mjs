/**
 * `npm run chaos`: injects faults into each part under load, then compares the stored data with the
 * acknowledged writes.
 */
import { prepare } from './build.mjs'
import { importCompiled, main } from './lib/run.mjs'

await main(async () => {
  await prepare()
  await importCompiled('tools/chaos/dist/main.js')
})
