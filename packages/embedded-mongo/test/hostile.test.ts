import { connect, type Socket } from 'node:net'
import { BSON } from 'mongodb'
import { expect, test } from 'vitest'
import { type Random, randomOf } from './random.js'
import { plain, useServer } from './support.js'

const server = useServer()

/** A full run sends 20,000 (README.md); `npm test` sends a few hundred. */
const wanted = Number(process.env.FUZZ_MESSAGES ?? 500)

const header = (length: number, operation: number): Buffer => {
  const bytes = Buffer.alloc(16)
  bytes.writeInt32LE(length, 0)
  bytes.writeInt32LE(7, 4)
  bytes.writeInt32LE(operation, 12)
  return bytes
}

const message = (command: BSON.Document, sequences: [string, BSON.Document[]][] = []): Buffer => {
  const parts: Buffer[] = [Buffer.alloc(4), Buffer.from([0]), Buffer.from(BSON.serialize(command))]
  for (const [name, docs] of sequences) {
    const body = Buffer.concat([
      Buffer.from(`${name}\0`),
      ...docs.map(doc => Buffer.from(BSON.serialize(doc))),
    ])
    const size = Buffer.alloc(5)
    size[0] = 1
    size.writeInt32LE(body.length + 4, 1)
    parts.push(size, body)
  }
  const body = Buffer.concat(parts)
  return Buffer.concat([header(16 + body.length, 2013), body])
}

const nested = (depth: number): BSON.Document => {
  let doc: BSON.Document = { a: 1 }
  for (let i = 0; i < depth; i++) doc = i % 2 ? { a: doc } : { a: [doc] }
  return doc
}

const $db = 'hostile'

const samples: Buffer[] = [
  message({ hello: 1, $db: 'admin' }),
  message({ find: 'c', filter: { a: { $gt: 1 }, b: /x/i }, sort: { a: 1 }, limit: 5, $db }),
  message({ insert: 'c', $db }, [
    [
      'documents',
      [
        { a: 1, b: 'text', c: [1, { d: new Date() }] },
        { _id: 5, b: new BSON.Binary(Buffer.from('xyz')) },
      ],
    ],
  ]),
  message({
    update: 'c',
    updates: [
      { q: { a: 1 }, u: { $set: { 'a.b': 1 }, $push: { l: { $each: [1], $slice: 3 } } }, upsert: true },
    ],
    $db,
  }),
  message({ delete: 'c', deletes: [{ q: { a: { $in: [1, 2] } }, limit: 0 }], $db }),
  message({
    aggregate: 'c',
    pipeline: [{ $match: { a: 1 } }, { $group: { _id: '$a', n: { $sum: 1 } } }],
    cursor: {},
    $db,
  }),
  message({ createIndexes: 'c', indexes: [{ key: { a: 1, b: -1 }, name: 'ab' }], $db }),
  message({ getMore: BSON.Long.fromNumber(9), collection: 'c', $db }),
  message({ insert: 'c', documents: [nested(150)], $db }),
  message({ insert: 'c', documents: [nested(260)], $db }),
  message({
    find: 'c',
    filter: nested(199),
    $db,
    lsid: { id: new BSON.UUID() },
    txnNumber: BSON.Long.fromNumber(1),
    startTransaction: true,
    autocommit: false,
  }),
  message({ endSessions: [{ id: new BSON.UUID() }], $db: 'admin' }),
  message({
    bulkWrite: 1,
    ops: [{ insert: 0, document: { a: 1 } }],
    nsInfo: [{ ns: 'hostile.c' }],
    $db: 'admin',
  }),
  Buffer.concat([
    header(16 + 4 + 11 + 8, 2004),
    Buffer.alloc(4),
    Buffer.from('admin.$cmd\0'),
    Buffer.alloc(8),
    Buffer.from(BSON.serialize({ isMaster: 1 })),
  ]),
]

/** Returns a message with a random malformation. */
const malformed = (random: Random): Buffer => {
  const bytes = Buffer.from(random.pick(samples))
  switch (random.below(9)) {
    case 0:
      return Buffer.from(random.many(1 + random.below(200), () => random.below(256)))
    case 1:
      return bytes.subarray(0, random.below(bytes.length))
    case 2:
      bytes.writeInt32LE(random.pick([-1, 0, 5, 15, 16, 17, 2147483647, 48_000_001, bytes.length + 1]), 0)
      return bytes
    case 3:
      bytes.writeInt32LE(random.pick([0, 1, 2001, 2002, 2004, 2005, 2012, 2013, 99]), 12)
      return bytes
    case 4:
      bytes.writeUInt32LE(random.pick([1, 2, 4, 0x8000, 0x10000, 0xffffffff]), 16)
      return bytes
    case 5: {
      // Overwrite a length field.
      bytes.writeInt32LE(
        random.pick([-1, 0, 3, 2147483647, 65_536]),
        16 + random.below(Math.max(1, bytes.length - 20)),
      )
      return bytes
    }
    default:
      for (let i = 0; i <= random.below(6); i++)
        bytes[16 + random.below(bytes.length - 16)] = random.below(256)
      return bytes
  }
}

/**
 * Sends bytes on a new connection. Resolves when the server replies or disconnects. The server waits for the rest of an
 * incomplete message, and does not reply to a message that requests no reply. With `mayWait`, such a message is
 * abandoned after the server, which serves connections in order, has answered two later messages.
 */
const send = (bytes: Buffer, mayWait = false): Promise<'answered' | 'dropped' | 'waiting'> =>
  new Promise(resolve => {
    const socket: Socket = connect(server.port(), '127.0.0.1')
    const finish = (how: 'answered' | 'dropped' | 'waiting') => {
      resolve(how)
      socket.destroy()
    }
    socket.on('error', () => finish('dropped'))
    socket.on('close', () => finish('dropped'))
    socket.on('data', () => finish('answered'))
    socket.write(bytes, async () => {
      if (!mayWait) return
      for (let later = 0; later < 2; later++) await send(samples[0]!)
      finish('waiting')
    })
  })

test(`malformed messages are dropped or answered with an error (${wanted} messages)`, {
  timeout: 600_000,
}, async () => {
  const random = randomOf(Number(process.env.FUZZ_SEED ?? 99))
  const seen = { answered: 0, dropped: 0, waiting: 0 }
  let sent = 0
  const sender = async () => {
    while (sent < wanted) {
      sent++
      seen[await send(malformed(random), true)]++
    }
  }
  const before = process.memoryUsage().rss
  await Promise.all(random.many(16, sender))
  const grown = Math.round((process.memoryUsage().rss - before) / 1e6)
  console.log(
    `hostile bytes: ${sent} messages, ${seen.answered} answered, ${seen.dropped} dropped, ${seen.waiting} incomplete; memory grew by ${grown} MB`,
  )
  expect(grown).toBeLessThan(300)
  // Ensures that the server received enough messages of both kinds.
  expect(Math.min(seen.answered, seen.dropped)).toBeGreaterThan(wanted / 5)
  const name = await server.holding([{ _id: 1 }])
  expect((await server.find(name)).length).toBe(1)
  for (const { name: collection } of (await server.run({ listCollections: 1, nameOnly: true }, $db)).cursor
    .firstBatch)
    expect((await server.run({ validate: collection }, $db)).errors).toEqual([])
})

test('a message beyond the size limit is dropped before it is read', async () => {
  expect(await send(header(48_100_000, 2013))).toBe('dropped')
})

test('the server listens on loopback only', async () => {
  const { networkInterfaces } = await import('node:os')
  const outside = Object.values(networkInterfaces())
    .flat()
    .find(one => one && one.family === 'IPv4' && !one.internal)
  if (!outside) return
  const reached = await new Promise<boolean>(resolve => {
    const socket = connect(server.port(), outside.address)
    socket.on('connect', () => resolve(true))
    socket.on('error', () => resolve(false))
  })
  expect(reached).toBe(false)
  expect(plain(server.port())).toBeGreaterThan(0)
})
