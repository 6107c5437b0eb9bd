/**
 * `npm start`: prepares and runs the product from a fresh clone with only Node and npm. package.json uses `exec`, since
 * otherwise the shell would receive npm's signals, and npm would exit before the product has stopped.
 */
import { prepare } from './build.mjs'
import { importCompiled, main, Refusal, root } from './lib/run.mjs'

await main(async () => {
  const unknown = process.argv.slice(2).find(option => !/^--demo(?:=\d{1,3})?$/.test(option))
  if (unknown)
    throw new Refusal(
      `npm start takes no option ${unknown}, only --demo or --demo=DAYS. Settings are environment variables: see docs/settings.md.`,
    )
  await prepare()
  process.env.NODE_ENV ??= 'production'
  process.env.WEB_ROOT ||= root
  // Tracing patches separate modules at load time, so the bundle is not used.
  const folder = process.env.OTEL_EXPORTER_OTLP_ENDPOINT ? 'dist' : 'dist/start'
  await importCompiled(`tools/dev-stack/${folder}/main.js`)
})
