/**
 * `npm run verify -- FILE.wacz [--key KEY.pem]... [--tsa-ca CA.pem]...`: checks a capture's web archive without a
 * server. Exits with 0 if it is valid, 1 if it was changed, 2 if it can't be read, 3 if content was erased.
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from './build.mjs'
import { install } from './lib/install.mjs'
import { callerFolder, importCompiled, main, Refusal, say } from './lib/run.mjs'

const USAGE = 'Usage: npm run verify -- FILE.wacz [--key KEY.pem] [--tsa-ca CA.pem]'
const STATUS = { good: 0, changed: 1, unreadable: 2, erased: 3 }
const VERDICTS = {
  good: 'Good: the content is unchanged since it was sealed.',
  changed: 'CHANGED: do not rely on it.',
  unreadable: 'UNREADABLE.',
  erased: 'Some content was erased. The rest is unchanged since it was sealed.',
}
const MODULE = 'packages/evidence/dist/wacz/index.js'
/** Size limit in bytes, above the largest capture. */
const FILE_MAX = 64 * 1024 ** 2

const read = (path, encoding) => {
  const file = resolve(callerFolder, path)
  if (!existsSync(file)) throw new Refusal(`${path} does not exist.`)
  if (statSync(file).size > FILE_MAX) throw new Refusal(`${path} is larger than any capture.`)
  return readFileSync(file, encoding)
}

const given = () => {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: {
        key: { type: 'string', multiple: true, default: [] },
        'tsa-ca': { type: 'string', multiple: true, default: [] },
      },
    })
    if (positionals.length === 1)
      return { file: positionals[0], keys: values.key, authorities: values['tsa-ca'] }
  } catch {}
  throw new Refusal(USAGE)
}

/** Reads the archive and the keys. Prints the failure and returns null if a file can't be read. */
const inputs = () => {
  try {
    const { file, keys, authorities } = given()
    return {
      data: read(file),
      trusted: keys.map(key => read(key, 'utf8')),
      authorities: authorities.map(ca => read(ca, 'utf8')),
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    say(error.message)
    return null
  }
}

await main(async () => {
  const found = inputs()
  if (!found) {
    process.exitCode = STATUS.unreadable
    return
  }
  const { data, trusted, authorities } = found
  if (!existsSync(MODULE)) {
    await install()
    await build()
  }
  const { verifyWacz } = await importCompiled(MODULE)
  const { verdict, checks, about, isKeyGiven } = await verifyWacz(new Uint8Array(data), trusted, authorities)
  if (about) {
    say(`${about.url}`)
    say(`captured ${about.capturedAt} by its collector’s clock, received ${about.receivedAt}`)
    say('')
  }
  for (const { ok, says } of checks) say(`${ok ? '  ok   ' : '  FAIL '} ${says}`)
  say(`\n${VERDICTS[verdict]}`)
  if (!isKeyGiven && verdict !== 'unreadable')
    say(
      'No key was given: get it from the server (/api/v1/seals/keys) or another trusted source, and pass it by --key.',
    )
  process.exitCode = STATUS[verdict]
})
