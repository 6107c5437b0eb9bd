import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { DETAILS } from '@iodine/contracts'
import { afterEach, expect, it, vi } from 'vitest'
import { createDownloads, createHttpApp, createLogger, type Download } from '../src/index.js'

const closing: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** Serves downloads to the user whom the path names. */
const serve = async (download: Download, ms?: number) => {
  const app = createHttpApp({ logger: createLogger('test', 'silent') })
  const answer = createDownloads(ms)
  app.get<{ Params: { id: string } }>('/:id', async (request, reply) => {
    const user = { id: request.params.id, sid: 's', scope: 'full' as const }
    return (await answer({ request, reply, user }, download)).send(reply)
  })
  closing.push(() => app.close())
  return app.listen({ host: '127.0.0.1', port: 0 })
}

/** A download whose bytes are counted when they are made. */
const bytesOf = (size: number) => {
  const bytes = new Uint8Array(size).map((_, n) => n % 251)
  const download = {
    etag: '"one"',
    size,
    made: 0,
    async make() {
      download.made++
      return { etag: download.etag, bytes }
    },
  }
  return { bytes, download }
}

/** Sends a request and leaves the answer's body unread. */
const ask = (url: string, headers: Record<string, string> = {}): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const request = get(url, { headers, agent: false }, resolve)
    request.on('error', reject)
    closing.push(() => request.destroy())
  })

/** Reads the rest of an answer, up to a cut. */
const read = async (answer: IncomingMessage): Promise<Buffer> => {
  const pieces: Buffer[] = []
  try {
    for await (const piece of answer) pieces.push(piece)
  } catch (error) {
    expect(error).toMatchObject({ code: 'ECONNRESET' })
  }
  return Buffer.concat(pieces)
}

const LARGE = 48 * 1_048_576

it.each([0, 1, 65_536, 65_537, 1_000_000])('answers %i bytes unchanged', async size => {
  const { bytes, download } = bytesOf(size)
  const answer = await ask(`${await serve(download)}/ana`)
  expect(answer).toMatchObject({
    statusCode: 200,
    headers: {
      etag: '"one"',
      'cache-control': 'private, no-cache',
      'content-type': 'application/octet-stream',
      'content-length': String(size),
    },
  })
  expect((await read(answer)).equals(bytes)).toBe(true)
})

it.each(['"one"', 'W/"one"', '"zero", "one"', '*'])('answers 304 to If-None-Match: %s', async header => {
  for (const size of [10, 100_000]) {
    const { download } = bytesOf(size)
    const answer = await ask(`${await serve(download)}/ana`, { 'if-none-match': header })
    expect(answer).toMatchObject({ statusCode: 304, headers: { etag: '"one"' } })
    expect(answer.headers['content-length']).toBeUndefined()
    expect(await read(answer)).toHaveLength(0)
    expect(download.made).toBe(0)
  }
})

it.each(['"two"', 'one', '"one', '', '"on", "e"'])('answers the bytes to If-None-Match: %s', async header => {
  const { download } = bytesOf(10)
  const answer = await ask(`${await serve(download)}/ana`, { 'if-none-match': header })
  expect(answer.statusCode).toBe(200)
  expect(await read(answer)).toHaveLength(10)
})

it('sends the ETag of the made bytes if they changed meanwhile', async () => {
  const { download } = bytesOf(10)
  const changed: Download = { ...download, make: async () => ({ ...(await download.make()), etag: '"two"' }) }
  expect((await ask(`${await serve(changed)}/ana`)).headers.etag).toBe('"two"')
})

it('answers a failure with an error without an ETag', async () => {
  const { download } = bytesOf(10)
  const broken: Download = { ...download, make: () => Promise.reject(new Error('broken')) }
  const answer = await ask(`${await serve(broken)}/ana`)
  expect(answer.statusCode).toBe(500)
  expect(answer.headers.etag).toBeUndefined()
})

it('limits a user to one large download, and serves other users', { tags: 'long' }, async () => {
  const { bytes, download } = bytesOf(LARGE)
  const url = await serve(download)
  const first = await ask(`${url}/ana`)
  expect(first.statusCode).toBe(200)
  const answers: IncomingMessage[] = []
  for (let n = 0; n < 20; n++) void ask(`${url}/ana`).then(answer => answers.push(answer))
  // The newest waits, the others are refused.
  await vi.waitFor(() => expect(answers).toHaveLength(19), 30_000)
  for (const answer of answers) {
    expect(answer).toMatchObject({ statusCode: 429, headers: { 'retry-after': '1' } })
    expect(JSON.parse(String(await read(answer)))).toEqual({ detail: DETAILS.busy })
  }
  expect(download.made).toBe(1)
  const other = await ask(`${url}/ben`)
  expect((await read(other)).equals(bytes)).toBe(true)
  expect([download.made, answers.length]).toEqual([2, 19])
  first.destroy()
  await vi.waitFor(() => expect(answers).toHaveLength(20), 30_000)
  const last = answers[19] as IncomingMessage
  expect(last.statusCode).toBe(200)
  expect((await read(last)).equals(bytes)).toBe(true)
  expect(download.made).toBe(3)
})

it('disconnects a client that stops reading, and starts the next download', { tags: 'long' }, async () => {
  const { bytes, download } = bytesOf(LARGE)
  const url = await serve(download, 300)
  const slow = await ask(`${url}/ana`)
  expect((await ask(`${url}/ana`)).statusCode).toBe(200)
  const had = await read(slow)
  expect(had.length).toBeLessThan(LARGE)
  expect(had.equals(bytes.subarray(0, had.length))).toBe(true)
})

it('starts the next download if a queued client disconnects', async () => {
  const { bytes, download } = bytesOf(LARGE)
  const url = await serve(download)
  const first = await ask(`${url}/ana`)
  const two = [0, 1].map(() => get(`${url}/ana`, { agent: false }).on('error', () => {}))
  const refused = await Promise.race(
    two.map(request => once(request, 'response').then(([{ statusCode }]) => ({ request, statusCode }))),
  )
  expect(refused.statusCode).toBe(429)
  for (const request of two) request.destroy()
  first.destroy()
  const next = await ask(`${url}/ana`)
  expect(next.statusCode).toBe(200)
  expect((await read(next)).equals(bytes)).toBe(true)
})
