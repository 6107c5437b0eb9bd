/**
 * Captures: what a seal costs in a log of a million leaves beside one of a thousand, what handing a capture over
 * costs beside its record alone, and how large a WACZ is beside its deflated blobs. Through the gateway, one
 * request at a time, in turns, as with `npm start`.
 *
 *   npm run bench -- captures
 *   ROUNDS=100 LEAVES=100000 npm run bench -- captures
 *   LEAVES=0 npm run bench -- captures                  (without the logs)
 */
import { createHash, randomBytes } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { API_BASE, capturesApi, collectorApi, sealsApi } from '@iodine/contracts'
import { startProduct } from '@iodine/harness'
import { blogArticle, captureOf, handOver, sealCapture, seededRandom } from '@iodine/test-kit'
import { MongoClient } from 'mongodb'
import { fetch } from 'undici'
import { startBed } from './lib/bed.js'
import { count, ratio, table, timeInterleaved, whole } from './lib/measure.js'

const rounds = Number(process.env.ROUNDS ?? 50)
const warmUps = 5
const SMALL = 1_000
const large = Number(process.env.LEAVES ?? 1_000_000)
const BATCH = 10_000

const parentOf = (left: Buffer, right: Buffer) =>
  createHash('sha256').update(Buffer.of(1)).update(left).update(right).digest()

/** Writes a log of `size` random leaves as the collector service stores it. */
const fillLog =
  (size: number) =>
  async (uri: string): Promise<void> => {
    const client = await new MongoClient(uri).connect()
    const db = client.db('iodine_collector')
    const nodes = db.collection<{ _id: string; hash: string }>('log_nodes')
    let level = 0
    for (
      let hashes: Buffer[] = Array.from({ length: size }, () => randomBytes(32));
      hashes.length > 0;
      hashes = Array.from({ length: hashes.length >> 1 }, (_, n) =>
        parentOf(hashes[2 * n] as Buffer, hashes[2 * n + 1] as Buffer),
      )
    ) {
      for (let start = 0; start < hashes.length; start += BATCH)
        await nodes.insertMany(
          hashes
            .slice(start, start + BATCH)
            .map((hash, n) => ({ _id: `${level}.${start + n}`, hash: hash.toString('hex') })),
          { ordered: false },
        )
      level += 1
    }
    // Nobody checks the root that stands before the first append.
    await db
      .collection<{ _id: number }>('checkpoints')
      .insertOne({ _id: size, root: '0'.repeat(64), at: new Date(), key_id: 'bench', sig: '' } as never)
    await client.close()
  }

const texts = Array.from({ length: 400 }, (_, n) => `Giant mirrors heat lake number ${n}. Nobody asks why.`)
const article = (mark: string) => ({
  text: [mark, ...texts].join('\n'),
  dom: `<article><h1>${mark}</h1>${texts.map(text => `<p class="text">${text}</p>`).join('')}</article>`,
})
let made = 0
const fresh = () => article(`Article ${++made} ${randomBytes(8).toString('hex')}`)

const random = seededRandom(24)
/** An article of that many words, out of 5,000 with a skewed frequency. */
const prose = (count: number) => {
  const word = () => Math.floor(5_000 * random() ** 3).toString(36)
  const paragraphs = Array.from({ length: count / 50 }, () => Array.from({ length: 50 }, word).join(' '))
  return {
    text: paragraphs.join('\n'),
    dom: `<article>${paragraphs.map(each => `<p>${each}</p>`).join('')}</article>`,
  }
}
/** Bytes that begin as a JPEG does, and cannot be compressed. */
const picture = (size: number) =>
  new Uint8Array(Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), randomBytes(size)]))

const sealing = async () => {
  const beds = await Promise.all([SMALL, large].map(size => startBed(startProduct, { fill: fillLog(size) })))
  try {
    const sides = await Promise.all(
      beds.map(async bed => {
        const { api } = await bed.signUp()
        const ids: string[] = []
        const seqs: number[] = []
        return {
          prepare: async () => void ids.push(await handOver(api.call, fresh())),
          seal: async () => {
            const { seq } = await api.call(capturesApi.sealCapture, { params: { id: ids.pop() ?? '' } })
            seqs.push(seq)
          },
          prove: () => api.call(sealsApi.getInclusion, { params: { seq: seqs.at(-1) ?? 0 } }),
        }
      }),
    )
    const [small, big] = sides as [(typeof sides)[0], (typeof sides)[0]]
    const took = { small: [] as number[], big: [] as number[] }
    for (let round = 0; round < warmUps + rounds; round++) {
      await Promise.all([small.prepare(), big.prepare()])
      const one = await timeInterleaved(1, { small: small.seal, big: big.seal })
      if (round < warmUps) continue
      took.small.push(one.small)
      took.big.push(one.big)
    }
    const proofs = await timeInterleaved(rounds, { small: small.prove, big: big.prove }, warmUps)
    const middle = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] ?? 0
    const [few, many] = [middle(took.small), middle(took.big)]
    table(
      ['median', `${whole(SMALL)} leaves, ms`, `${whole(large)} leaves, ms`, 'share'],
      [
        ['POST /captures/:id/seal', count(few), count(many), ratio(many, few)],
        ['GET /seals/:seq/proof', count(proofs.small), count(proofs.big), ratio(proofs.big, proofs.small)],
      ],
    )
  } finally {
    for (const bed of beds) await bed.stop()
  }
}

const handingOver = async () => {
  const bed = await startBed(startProduct)
  try {
    const { api, token } = await bed.signUp()
    const ingest = async () => {
      const record = blogArticle()
      await api.call(collectorApi.ingestRecords, {
        params: { source: 'blog' },
        body: { records: [record] },
      })
      return record
    }
    const took = await timeInterleaved(
      rounds,
      {
        record: ingest,
        both: async () => sealCapture(api.call, { ...fresh(), record: JSON.stringify(await ingest()) }),
      },
      warmUps,
    )
    /** Bytes of the blobs, each deflated, and of the WACZ. */
    const archived = async (parts: Parameters<typeof captureOf>[0]) => {
      const { id } = await sealCapture(api.call, parts)
      const deflated = [...captureOf(parts).contents.values()].reduce(
        (sum, bytes) => sum + deflateRawSync(bytes).length,
        0,
      )
      const answer = await fetch(`${bed.url}${API_BASE}/captures/${id}/wacz`, {
        headers: { authorization: `Bearer ${token}` },
      })
      if (!answer.ok) throw new Error(`GET of a WACZ: ${answer.status} ${await answer.text()}`)
      const { byteLength } = await answer.arrayBuffer()
      return [whole(deflated), whole(byteLength), ratio(byteLength, deflated)]
    }
    const record = JSON.stringify(blogArticle())
    table(
      ['median, one at a time', 'ms', 'share'],
      [
        ['a record', count(took.record), ''],
        [
          'a record and its capture, sealed (text, DOM, record)',
          count(took.both),
          ratio(took.both, took.record),
        ],
      ],
    )
    const long = prose(10_000)
    table(
      ['bytes', 'deflated blobs', 'WACZ', 'share'],
      [
        ['400 lines that repeat themselves: text, DOM, record', ...(await archived({ ...fresh(), record }))],
        ['10,000 words: text, DOM, record', ...(await archived({ ...long, record }))],
        [
          '10,000 words and a picture of 200 kB',
          ...(await archived({ ...prose(10_000), record, screenshot: picture(200_000) })),
        ],
      ],
    )
  } finally {
    await bed.stop()
  }
}

if (large > 0) await sealing()
await handingOver()
