import { PRODUCT_NAME } from '@iodine/contracts'
import { ConfigError } from '@iodine/service-kit'
import { addDemo, demoDaysIn } from './demo.js'
import { type Stack, startStack } from './stack.js'

const GRACE_MS = 15_000
// Standard output is reserved for the line `ready <url>`.
const say = (line: string) => process.stderr.write(`${line}\n`)

let stack: Stack | undefined
let isStopping = false
/**
 * Shuts down gracefully. Ignores further signals: in a terminal, npm and this process both receive Ctrl+C, and npm
 * forwards its own. close-with-grace is unsuitable, as it exits with 1 at the second signal.
 */
const stop = async () => {
  if (isStopping) return
  isStopping = true
  say('Stopping …')
  setTimeout(() => {
    say('Some parts did not stop in time')
    process.exit(1)
  }, GRACE_MS).unref()
  // Waits for a start in progress, after which all parts to stop are known.
  await starting.catch(() => {})
  await stack?.stop()
  process.exit(0)
}
process.on('SIGINT', stop).on('SIGTERM', stop)

// Ends with npm, even if npm is killed, to avoid an orphaned process.
if (process.env.npm_lifecycle_event) {
  const npm = process.ppid
  setInterval(() => process.ppid !== npm && void stop(), 1_000).unref()
}

const days = demoDaysIn(process.argv)
const starting = startStack({ env: process.env, demo: days !== undefined, progress: say })
try {
  stack = await starting
  const signIns = days !== undefined && !isStopping ? await addDemo(stack, say, days) : ''
  if (!isStopping) {
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
  if (!isStopping) {
    say(error instanceof ConfigError ? error.message : `${PRODUCT_NAME} did not start: ${describe(error)}`)
    process.exit(1)
  }
}

function describe(error: unknown): string {
  // The product's errors are described by their message, other errors by their stack.
  if (!(error instanceof Error)) return String(error)
  return error.constructor === Error ? error.message : (error.stack ?? error.message)
}
