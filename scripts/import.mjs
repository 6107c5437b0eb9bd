/**
 * `npm run import -- FILE [--answers ANSWERS.json] [--plan] [--resume ID]`: imports a file of another tool into the
 * records of the user of an API token, or only prints what it contains. The variables IODINE and TOKEN name the
 * deployment and a token with the scope `collect`. Exits with 0 once all records were sent, 1 after a failure, 2 if the
 * file can't be read or a question is open.
 */
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { build } from './build.mjs'
import { install } from './lib/install.mjs'
import { callerFolder, importCompiled, main, Refusal, say } from './lib/run.mjs'

const USAGE = 'Usage: npm run import -- FILE [--answers ANSWERS.json] [--plan] [--resume ID]'
const MODULE = 'packages/imports/dist/index.js'
/** Bytes by which a file is recognised. */
const HEAD_BYTES = 256 * 1024

const given = () => {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: {
        answers: { type: 'string' },
        plan: { type: 'boolean', default: false },
        resume: { type: 'string' },
      },
    })
    if (positionals.length === 1) return { file: resolve(callerFolder, positionals[0]), ...values }
  } catch {}
  throw new Refusal(USAGE)
}

const headOf = async file => {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return new Uint8Array(buffer.subarray(0, bytesRead))
  } finally {
    await handle.close()
  }
}

const hashOf = async file => {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk)
  return hash.digest('hex')
}

/** Calls the API, with a body of JSON if given. Waits as long as a 429 asks. @throws Refusal with the server's text */
const call = async (method, path, body) => {
  const { IODINE, TOKEN } = process.env
  if (!IODINE || !TOKEN)
    throw new Refusal('Set IODINE to the URL of the deployment, and TOKEN to an API token.')
  for (;;) {
    const response = await fetch(`${IODINE.replace(/\/$/, '')}/api/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' },
      ...(body && { body }),
    }).catch(error => {
      throw new Refusal(`${IODINE} does not answer: ${error.cause?.message ?? error.message}`)
    })
    const answer = await response.json().catch(() => ({}))
    if (response.ok) return answer
    if (response.status !== 429) throw new Refusal(`${response.status}: ${[answer.detail].flat().join('; ')}`)
    await sleep(1_000 * Number(response.headers.get('retry-after') ?? 1))
  }
}

/** Begins a request with a batch. */
const HEAD = '{"records":'

/** Batches as JSON in a temporary file, so that a file is read once: the plan is known before the first batch is sent. */
class StoredBatches {
  #file
  #places = []
  #end = 0

  /** The file is removed at once, so that nothing remains however the process ends; its handle can be used until then. */
  static async open() {
    const folder = mkdtempSync(join(tmpdir(), 'iodine-import-'))
    const batches = new StoredBatches()
    batches.#file = await open(join(folder, 'batches'), 'wx+')
    rmSync(folder, { recursive: true })
    return batches
  }

  async add({ source, offset, records }) {
    const bytes = Buffer.from(JSON.stringify(records))
    await this.#file.write(bytes, 0, bytes.length, this.#end)
    this.#places.push({ source, offset, count: records.length, at: this.#end, length: bytes.length })
    this.#end += bytes.length
  }

  /** Yields the batches that begin at or after a record's number, each with the request's body. */
  async *requests(import_id, received) {
    const tailOf = offset => `,"import_id":"${import_id}","offset":${offset}}`
    const largest = Math.max(...this.#places.map(({ length, offset }) => length + tailOf(offset).length))
    const body = Buffer.alloc(HEAD.length + largest)
    body.write(HEAD)
    for (const { at, length, ...batch } of this.#places) {
      if (batch.offset < received) continue
      await this.#file.read(body, HEAD.length, length, at)
      const end = HEAD.length + length
      yield { ...batch, body: body.subarray(0, end + body.write(tailOf(batch.offset), end)) }
    }
  }

  close = () => this.#file.close()
}

/** Passes the file's records in batches to `each`. Returns the report, with the number of records in all batches. */
const inBatches = async ({ readMerged, completeRecord, Batches }, file, format, answers, each) => {
  const batches = new Batches()
  const items = readMerged(Readable.toWeb(createReadStream(file)), format, answers)
  for (;;) {
    const { value, done } = await items.next()
    if (done) {
      for (const batch of batches.flush()) await each(batch)
      return { ...value, total: batches.total }
    }
    const batch = batches.add(value.source, completeRecord(value))
    if (batch) await each(batch)
  }
}

const describe = ({ format, questions = [] }) => {
  say(`Format: ${format}`)
  for (const { name, required, proposed, columns } of questions) {
    const choices = proposed ?? columns
    say(`  ${name}${required ? '' : ' (optional)'}${choices ? `: for example ${choices.join(', ')}` : ''}`)
  }
}

/** Sends the batches of a file that the server has not received, and prints what became of the records. */
const send = async (batches, { file, file_time, format, report: { total }, resume }) => {
  const begin = async () => {
    const file_sha256 = await hashOf(file)
    return call(
      'POST',
      '/imports',
      JSON.stringify({ format, file_name: basename(file), file_sha256, file_time, total }),
    )
  }
  const { id, received } = await (resume ? call('GET', `/imports/${resume}`) : begin())
  say(`Import ${id}. To continue after a failure: --resume ${id}`)
  for await (const { source, offset, count, body } of batches.requests(id, received)) {
    await call('POST', `/${source}/data`, body)
    say(`${offset + count} of ${total}`)
  }
  const { created, merged, unchanged, refused } = await call('GET', `/imports/${id}`)
  say(`${created} created, ${merged} merged, ${unchanged} unchanged`)
  for (const { reason, count } of refused) say(`  ${count} refused: ${reason}`)
}

await main(async () => {
  const { file, answers: answersFile, plan, resume } = given()
  if (!existsSync(file)) throw new Refusal(`${file} does not exist.`)
  if (!existsSync(MODULE)) {
    await install()
    await build()
  }
  const imports = await importCompiled(MODULE)
  const recognised = imports.recognise(await headOf(file), basename(file))
  if (recognised.kind === 'refused') {
    say(recognised.detail)
    process.exitCode = 2
    return
  }
  describe(recognised)
  const known = answersFile ? JSON.parse(readFileSync(resolve(callerFolder, answersFile), 'utf8')) : {}
  const open = recognised.questions?.filter(({ name, required }) => required && !(name in known)) ?? []
  if (open.length > 0) {
    say(`Answer ${open.map(({ name }) => name).join(', ')} in a JSON file, and pass it with --answers.`)
    process.exitCode = 2
    return
  }
  const file_time = statSync(file).mtime.toISOString()
  const answers = { file_time, ...known }
  const batches = await StoredBatches.open()
  try {
    const report = await inBatches(imports, file, recognised, answers, batch => plan || batches.add(batch))
    say(`${report.total} records, ${report.merged} repeated`)
    for (const [reason, count] of Object.entries(report.reasons)) say(`  ${count} skipped: ${reason}`)
    if (!plan && report.total > 0)
      await send(batches, { file, file_time: answers.file_time, format: recognised.format, report, resume })
  } finally {
    await batches.close()
  }
})
