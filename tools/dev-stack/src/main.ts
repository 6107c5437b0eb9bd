import { PRODUCT_NAME } from '@iodine/contracts'
import { ConfigError } from '@iodine/service-kit'
import { addDemo } from './demo.js'
import { type Stack, startStack } from './stack.js'

const GRACE_MS = 15_000
// Standard output carries the one line `ready <url>`.
const say = (line: string) => process.stderr.write(`${line}\n`)

let stack: Stack | undefined
let asked = false
/**
 * Ends cleanly. Asked again it does nothing more: in a terminal npm and we both get the same Ctrl+C, and npm passes its own
 * on. Not close-with-grace: it exits with 1 at the second signal.
 */
const stop = async () => {
  if (asked) return
  asked = true
  say('Stopping …')
  setTimeout(() => {
    say('Some parts did not stop in time')
    process.exit(1)
  }, GRACE_MS).unref()
  // A start under way ends first: only then is it known what to stop.
  await starting.catch(() => {})
  await stack?.stop()
  process.exit(0)
}
process.on('SIGINT', stop).on('SIGTERM', stop)

// Started by npm, we end with it, even when it is killed: nobody would be left to stop us.
if (process.env.npm_lifecycle_event) {
  const npm = process.ppid
  setInterval(() => process.ppid !== npm && void stop(), 1_000).unref()
}

const demo = process.argv.includes('--demo')
const starting = startStack({ env: process.env, demo, progress: say })
try {
  stack = await starting
  const signIns = demo && !asked ? await addDemo(stack, say) : ''
  if (!asked) {
    const { url, inboxUrl, dataDir, database } = stack
    say(`
${PRODUCT_NAME} runs at  ${url}
API              ${url}/api/v1  (reference: ${url}/api/v1/docs)
Mail inbox       ${inboxUrl ?? 'none: mail goes to SMTP_URL'}
Data and log     ${dataDir}  (database: ${database})
${signIns}Stop it with Ctrl+C.
`)
    process.stdout.write(`ready ${url}\n`)
  }
} catch (error) {
  if (!asked) {
    say(error instanceof ConfigError ? error.message : `${PRODUCT_NAME} did not start: ${describe(error)}`)
    process.exit(1)
  }
}

function describe(error: unknown): string {
  // A message of ours says it all; what comes from elsewhere needs its place.
  if (!(error instanceof Error)) return String(error)
  return error.constructor === Error ? error.message : (error.stack ?? error.message)
}
