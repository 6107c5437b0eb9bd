import { readDoc } from '../bson/read.js'
import { type Doc, RawDoc, type Value } from '../bson/values.js'
import { writeDoc } from '../bson/write.js'
import { fail } from '../errors.js'

export const headerSize = 16
/** MongoDB's message limit, slightly above the 48,000,000 bytes that `hello` states. */
export const largestMessage = 48_000_000 + 16_384

const opReply = 1
const opQuery = 2004
const opMsg = 2013

export type Message = { requestId: number; kind: 'query' | 'msg'; command: Doc; wantsReply: boolean }

/**
 * Parses one complete message.
 * @throws for a malformed message
 */
export const readMessage = (bytes: Buffer): Message => {
  const requestId = bytes.readInt32LE(4)
  const operation = bytes.readInt32LE(12)
  if (operation === opMsg) return readMsg(bytes, requestId)
  if (operation === opQuery) return readQuery(bytes, requestId)
  throw new Error(`unsupported operation ${operation}`)
}

const readQuery = (bytes: Buffer, requestId: number): Message => {
  const end = bytes.indexOf(0, headerSize + 4)
  if (end < 0 || end + 9 > bytes.length) throw new Error('query cut off')
  const ns = bytes.toString('utf8', headerSize + 4, end)
  const command = readDoc(bytes, end + 9)
  command.set('$db', ns.slice(0, ns.indexOf('.')))
  return { requestId, kind: 'query', command, wantsReply: true }
}

const checksumPresent = 1
const moreToCome = 2

const readMsg = (bytes: Buffer, requestId: number): Message => {
  if (bytes.length < headerSize + 10) throw new Error('message cut off')
  const flags = bytes.readUInt32LE(headerSize)
  if (flags & checksumPresent) throw new Error('checksums are not supported')
  if (flags & 0xffff & ~moreToCome) throw new Error('unknown required flag')
  let at = headerSize + 4
  let command: Doc | undefined
  const sequences: [string, Value[]][] = []
  while (at < bytes.length) {
    const kind = bytes[at++]
    if (at + 4 > bytes.length) throw new Error('section cut off')
    const size = bytes.readInt32LE(at)
    if (size < 5 || at + size > bytes.length) throw new Error('section cut off')
    if (kind === 0) {
      if (command) throw new Error('two bodies')
      command = readDoc(bytes.subarray(at, at + size))
    } else if (kind === 1) sequences.push(readSequence(bytes.subarray(at, at + size)))
    else throw new Error(`unknown section ${kind}`)
    at += size
  }
  if (!command) throw new Error('no body')
  for (const [name, docs] of sequences) {
    if (command.has(name)) fail(40415, `Duplicate document sequence '${name}'`)
    command.set(name, docs)
  }
  return { requestId, kind: 'msg', command, wantsReply: (flags & moreToCome) === 0 }
}

const readSequence = (bytes: Buffer): [string, Value[]] => {
  const end = bytes.indexOf(0, 4)
  if (end < 0) throw new Error('sequence name cut off')
  const docs: Value[] = []
  let at = end + 1
  while (at < bytes.length) {
    if (at + 5 > bytes.length) throw new Error('sequence cut off')
    const size = bytes.readInt32LE(at)
    if (size < 5 || at + size > bytes.length) throw new Error('sequence cut off')
    docs.push(readDoc(bytes.subarray(at, at + size)))
    at += size
  }
  return [bytes.toString('utf8', 4, end), docs]
}

let nextId = 1

/** Encodes a reply: OP_REPLY for a request by OP_QUERY, else OP_MSG. */
export const writeReply = (to: Pick<Message, 'requestId' | 'kind'>, reply: Doc | RawDoc): Buffer[] => {
  const body = reply instanceof RawDoc ? reply.bytes : writeDoc(reply)
  const query = to.kind === 'query'
  const head = Buffer.alloc(headerSize + (query ? 20 : 5))
  head.writeInt32LE(head.length + body.length, 0)
  nextId = (nextId + 1) | 0
  head.writeInt32LE(nextId, 4)
  head.writeInt32LE(to.requestId, 8)
  head.writeInt32LE(query ? opReply : opMsg, 12)
  if (query) {
    head.writeInt32LE(8, 16)
    head.writeInt32LE(1, 32)
  }
  return [head, body]
}
