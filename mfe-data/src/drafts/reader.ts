import {
  type Batch,
  Batches,
  completeRecord,
  EncodingError,
  PROPOSED_ENCODINGS,
  type Question,
  RefusedError,
  readMerged,
  recognise,
  telegramChats,
} from '@iodine/imports'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { headerKey } from '../model/column-mapping'
import type { Draft } from '../model/import-draft'
import { PlanBuilder } from '../model/import-plan'
import type { GivenAnswers, Questions } from '../model/import-questions'
import { findMapping, storeBatch, storeRead } from './database'

/** First bytes by which a format is recognised. */
const HEAD_BYTES = 262_144
/** First bytes that are shown in proposed encodings. */
const SAMPLE_BYTES = 4_096

const [DESKTOP, TELETHON] = ['telegram-desktop', 'telethon'] as const
const NO_CHATS = 'This export has no channels or groups. Personal conversations are never read.'

export interface Recognising {
  file: File
  /** Id of the user. */
  owner: string
  /** Answers so far, and the questions that were asked; absent for a new file. */
  given?: GivenAnswers
  asked?: Questions['asked']
}
/** A file that can be read, or what must be asked before. */
export type Recognised = { format: string; given: GivenAnswers } | { questions: Questions }

export interface Reading {
  /** Of the draft. */
  id: string
  owner: string
  file: File
  format: string
  given: GivenAnswers
  /** The questions that were asked. */
  asked?: Questions['asked'] | undefined
}
/** Called with the read part of the file, from 0 to 1. */
export type OnProgress = (fraction: number) => void

/** A request to the worker. It answers one, and is terminated then. */
export type ToReader = { recognise: Recognising } | { read: Reading }
export type FromReader =
  | { type: 'ready' }
  | { type: 'progress'; fraction: number }
  | { type: 'done'; value: Recognised | Draft }
  | { type: 'failed'; name: string; message: string }

/** Returns bytes of a text in another encoding as UTF-8, in which they are recognised. */
const asUtf8 = (head: Uint8Array, encoding: string): Uint8Array =>
  new TextEncoder().encode(new TextDecoder(encoding).decode(head, { stream: true }))

const isZip = (head: Uint8Array): boolean => head[0] === 0x50 && head[1] === 0x4b

/** Returns what a question needs beside the file's first bytes. */
const contextOf = async (
  question: Question,
  format: string,
  { file, owner }: Recognising,
  head: Uint8Array,
) => {
  if (question.name === 'chats')
    return {
      chats: await telegramChats(file.stream(), format === TELETHON ? TELETHON : DESKTOP, isZip(head)),
    }
  if (question.name !== 'mapping') return {}
  const saved = await findMapping(owner, headerKey(question.columns ?? [])).catch(() => undefined)
  return saved && { saved: saved.mapping }
}

/**
 * Recognises a file by its first bytes.
 * @throws RefusedError for a file that cannot be read
 */
const recogniseHere = async (request: Recognising): Promise<Recognised> => {
  const { file, given = {}, asked = [] } = request
  const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer())
  const found = recognise(given.encoding ? asUtf8(head, given.encoding) : head, file.name)
  if (found.kind === 'refused') throw new RefusedError(found.detail)
  const { format } = found
  const open = (found.questions ?? []).filter(({ name }) => !asked.includes(name))
  if (open.length === 0) return { format, given }
  // The columns of a table depend on its encoding.
  const encoding = open.filter(({ name }) => name === 'encoding')
  const questions = encoding.length > 0 ? encoding : open
  const contexts = await Promise.all(questions.map(question => contextOf(question, format, request, head)))
  const context: Pick<Questions, 'chats' | 'saved'> = Object.assign({}, ...contexts)
  if (context.chats?.length === 0 && format === DESKTOP) throw new RefusedError(NO_CHATS)
  // All channels have a name, which Telethon wrote beside the messages.
  if (context.chats?.length === 0) return recogniseHere({ ...request, asked: [...asked, 'chats'] })
  return { questions: { format, questions, head: head.slice(0, SAMPLE_BYTES), given, asked, ...context } }
}

/** Calls `onChunk` with each chunk of a file. */
const eachChunk = async (file: File, onChunk: (chunk: Uint8Array) => void): Promise<void> => {
  const reader = file.stream().getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) onChunk(read.value)
}

const hashOf = async (file: File): Promise<string> => {
  const hash = sha256.create()
  await eachChunk(file, chunk => hash.update(chunk))
  return bytesToHex(hash.digest())
}

/** Returns the bytes of a file, and calls `onProgress` at each hundredth. */
const counted = (file: File, onProgress: OnProgress): ReadableStream<Uint8Array<ArrayBuffer>> => {
  let [bytes, hundredth] = [0, 0]
  return file.stream().pipeThrough(
    new TransformStream({
      transform: (chunk, controller) => {
        bytes += chunk.length
        const now = Math.floor((100 * bytes) / file.size)
        if (now > hundredth) onProgress(now / 100)
        hundredth = now
        controller.enqueue(chunk)
      },
    }),
  )
}

/**
 * Reads a file and stores its records in batches of bounded size, then the draft.
 * @throws RefusedError, EncodingError of the reader; DOMException if the file cannot be read or the browser has no space
 */
const readHere = async (
  { id, owner, file, format, given }: Reading,
  onProgress: OnProgress,
): Promise<Draft> => {
  const file_time = new Date(file.lastModified).toISOString()
  const batches = new Batches()
  const store = (batch: Batch) => storeBatch({ ...batch, draft: id })
  const plan = new PlanBuilder()
  const items = readMerged(counted(file, onProgress), { format }, { ...given, file_time })
  let next = await items.next()
  for (; !next.done; next = await items.next()) {
    const { source } = next.value
    const record = completeRecord(next.value)
    plan.addRecord(source, record)
    const batch = batches.add(source, record)
    if (batch) await store(batch)
  }
  for (const batch of batches.flush()) await store(batch)
  const report = next.value
  const draft: Draft = {
    id,
    owner,
    file_name: file.name,
    size: file.size,
    format,
    file_sha256: await hashOf(file),
    file_time,
    created_at: Date.now(),
    plan: plan.planOf(report),
    total: batches.total,
    sent: 0,
  }
  await storeRead(draft, report.skipped)
  return draft
}

/** Returns the question for a file that does not have the encoding of its first bytes, or the one that was chosen. */
const encodingQuestion = async ({
  file,
  given = {},
  asked = [],
}: Recognising | Reading): Promise<Questions> => ({
  format: '',
  questions: [{ name: 'encoding', required: true, proposed: PROPOSED_ENCODINGS }],
  head: new Uint8Array(await file.slice(0, SAMPLE_BYTES).arrayBuffer()),
  given: { ...given, encoding: PROPOSED_ENCODINGS.find(name => name !== given.encoding) },
  asked,
})

/** Reads a file. If it has another encoding, asks for that. */
const readOrAsk = (request: Reading, onProgress: OnProgress): Promise<Draft | Recognised> =>
  readHere(request, onProgress).catch(async error => {
    if (!(error instanceof EncodingError)) throw error
    return { questions: await encodingQuestion(request) }
  })

/** Answers a request of the page by messages: the progress, then the result or the failure. */
export const answer = async (request: ToReader, send: (message: FromReader) => void): Promise<void> => {
  try {
    const value =
      'recognise' in request
        ? await recogniseHere(request.recognise)
        : await readOrAsk(request.read, fraction => send({ type: 'progress', fraction }))
    send({ type: 'done', value })
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error()
    send({ type: 'failed', name, message })
  }
}
