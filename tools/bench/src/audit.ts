/**
 * The audit log: appends to its chain against plain inserts of the same documents, with the same indexes, on the same
 * database server; then the room that entries take, and how long a check of the whole chain takes.
 *
 *   npm run bench -- audit
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type AuditEntry, auditInternal } from '@iodine/contracts'
import { startTestStack } from '@iodine/harness'
import { newAuditEntry } from '@iodine/service-kit'
import { newId } from '@iodine/test-kit'
import { type Document, ObjectId } from 'mongodb'
import { startBed } from './lib/bed.js'
import { count, rate, ratio, table, timed, timeInterleaved, whole } from './lib/measure.js'

const SIZE = 500
const rounds = Number(process.env.ROUNDS ?? 5)
const batches = Number(process.env.BATCHES ?? 8)
const total = Number(process.env.ENTRIES ?? 100_000)

const bed = await startBed(env => startTestStack({ env }))
const { peers } = bed.product
const plain = bed.client.db('bench').collection('entries')
const log = bed.client.db(`${bed.product.prefix}_auth`).collection('audit_entries')

const people = Array.from({ length: 100 }, newId)
/** What a member's removal of an IOD from a campaign leaves: with all that an entry usually has. */
const made = (n: number): AuditEntry => ({
  ...newAuditEntry('system', {
    action: 'campaign.iod-removed',
    subject: { kind: 'campaign', id: newId() },
    item: newId(),
    count: 1,
  }),
  actor: { kind: 'user', id: people[n % people.length] ?? null },
  via: 'web',
  network: '192.0.2.0/24',
  request_id: crypto.randomUUID(),
})
const entries = (size: number) => Array.from({ length: size }, (_, n) => made(n))
const append = (batch: AuditEntry[]) =>
  peers.call('auth', auditInternal.appendAudit, { body: { entries: batch }, ms: 60_000 })

let seq = 0
/** As the log stores them. */
const stored = (batch: AuditEntry[]): Document[] =>
  batch.map(entry => ({
    _id: new ObjectId(),
    created_at: new Date(entry.at),
    seq: ++seq,
    prev: 'a'.repeat(64),
    hash: 'b'.repeat(64),
    entry,
  }))

try {
  for (const { key, unique = false } of (await log.indexes()).filter(({ name }) => name !== '_id_'))
    await plain.createIndex(key, { unique })
  const rows: string[][] = []
  for (const size of [1, SIZE]) {
    const lists = Array.from({ length: rounds + 1 }, () =>
      Array.from({ length: size === 1 ? 200 : batches }, () => entries(size)),
    )
    const documents = lists.map(list => list.map(stored))
    const took = await timeInterleaved(
      rounds,
      {
        append: async round => {
          for (const batch of lists[round] ?? []) await append(batch)
        },
        insertMany: async round => {
          for (const batch of documents[round] ?? []) await plain.insertMany(batch)
        },
      },
      1,
    )
    const number = (lists[0]?.length ?? 0) * size
    rows.push([
      whole(size),
      rate(number, took.append),
      rate(number, took.insertMany),
      ratio(took.insertMany, took.append),
    ])
  }
  table(['entries in a call', 'appended, 1/s', 'insertMany, 1/s', 'share'], rows)

  const bytes = () => statSync(join(bed.folder, 'data.mdb')).blocks * 512
  const [before, had] = [bytes(), await log.countDocuments()]
  while ((await log.countDocuments()) < had + total) await append(entries(SIZE))
  const added = (await log.countDocuments()) - had
  const ms = await timed(() =>
    peers.call('auth', auditInternal.verifyAudit, { body: {}, ms: 600_000 }).then(({ fault }) => {
      if (fault) throw new Error(`a fault at ${fault.seq}`)
    }),
  )
  console.log('')
  table(
    ['entries', 'bytes of the database, an entry', 'check of the chain, s', 'entries checked, 1/s'],
    [
      [
        whole(had + added),
        whole(Math.round((bytes() - before) / added)),
        count(ms / 1_000),
        rate(had + added, ms),
      ],
    ],
  )
} finally {
  await bed.stop()
}
