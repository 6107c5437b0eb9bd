/**
 * `npm run verify -- FILE.wacz [--key KEY.pem]... [--tsa-ca CA.pem]...`: checks a capture's web archive without a
 * server. `npm run verify -- FOLDER [--key KEY.pem]...`, or with several files: checks a version of a published report
 * by its manifest, and of captures beside it that they are its exhibits. Exits with 0 if all is valid, 1 if it was
 * changed, 2 if it can't be read, 3 if content was erased.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from './build.mjs'
import { install } from './lib/install.mjs'
import { callerFolder, importCompiled, main, Refusal, say } from './lib/run.mjs'

const USAGE =
  'Usage: npm run verify -- FILE.wacz [--key KEY.pem] [--tsa-ca CA.pem]\n       npm run verify -- FOLDER|FILES of a report [--key KEY.pem]'
const STATUS = { good: 0, changed: 1, unreadable: 2, erased: 3 }
const VERDICTS = {
  good: 'Good: the content is unchanged since it was sealed.',
  changed: 'CHANGED: do not rely on it.',
  unreadable: 'UNREADABLE.',
  erased: 'Some content was erased. The rest is unchanged since it was sealed.',
}
const WACZ = 'packages/evidence/dist/wacz/index.js'
const REPORT = 'packages/evidence/dist/report.js'
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
    if (positionals.length > 0) return { paths: positionals, keys: values.key, authorities: values['tsa-ca'] }
  } catch {}
  throw new Refusal(USAGE)
}

/** Returns the files of a folder, without hidden ones, or the given files, by their names. */
const filesOf = paths => {
  const [first] = paths
  const folder = resolve(callerFolder, first)
  const isFolder = paths.length === 1 && existsSync(folder) && statSync(folder).isDirectory()
  const found = isFolder
    ? readdirSync(folder, { withFileTypes: true }).flatMap(entry =>
        entry.isFile() && !entry.name.startsWith('.') ? join(folder, entry.name) : [],
      )
    : paths
  return new Map(found.map(path => [basename(path), new Uint8Array(read(path))]))
}

/** Reads the files and the keys. Prints the failure and returns null if a file can't be read. */
const inputs = () => {
  try {
    const { paths, keys, authorities } = given()
    return {
      files: filesOf(paths),
      trusted: keys.map(key => read(key, 'utf8')),
      authorities: authorities.map(ca => read(ca, 'utf8')),
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    say(error.message)
    return null
  }
}

const sayAbout = ({ url, capturedAt, report, n, receivedAt }) => {
  if (report === undefined) {
    say(`${url}`)
    say(`captured ${capturedAt} by its collector’s clock, received ${receivedAt}`)
  } else say(`report ${report}, version ${n}, received ${receivedAt}`)
  say('')
}

await main(async () => {
  const found = inputs()
  if (!found) {
    process.exitCode = STATUS.unreadable
    return
  }
  const { files, trusted, authorities } = found
  if (!existsSync(REPORT)) {
    await install()
    await build()
  }
  const [[name, data] = []] = files
  const isCapture = files.size === 1 && !name.startsWith('manifest.json')
  const { verdict, checks, about, isKeyGiven } = isCapture
    ? await (await importCompiled(WACZ)).verifyWacz(data, trusted, authorities)
    : await (await importCompiled(REPORT)).verifyReport(files, trusted)
  if (about) sayAbout(about)
  for (const { ok, says } of checks) say(`${ok ? '  ok   ' : '  FAIL '} ${says}`)
  say(`\n${VERDICTS[verdict]}`)
  if (!isKeyGiven && verdict !== 'unreadable')
    say(
      'No key was given: get it from the server (/api/v1/seals/keys) or another trusted source, and pass it by --key.',
    )
  process.exitCode = STATUS[verdict]
})
