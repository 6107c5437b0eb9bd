/**
 * `npm start`: from a fresh clone with only Node and npm to the running product. package.json uses `exec`:
 * otherwise the shell would receive npm's signals, and npm would exit before the product has stopped.
 */
import { prepare } from './build.mjs'
import { handOver, main, Refusal, root } from './lib/run.mjs'

await main(async () => {
  const unknown = process.argv.slice(2).find(option => option !== '--demo')
  if (unknown)
    throw new Refusal(
      `npm start takes no option ${unknown}, only --demo. Settings are environment variables: see docs/settings.md.`,
    )
  await prepare()
  process.env.NODE_ENV ??= 'production'
  process.env.WEB_ROOT ||= root
  // Tracing patches modules while they are loaded one by one.
  const folder = process.env.OTEL_EXPORTER_OTLP_ENDPOINT ? 'dist' : 'dist/start'
  await handOver(`tools/dev-stack/${folder}/main.js`)
})
