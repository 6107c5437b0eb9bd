import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { DETAILS } from '@iodine/contracts'
import { HttpError, unavailable } from '@iodine/service-kit'
import type { Bounds, Refusal } from './bounds.js'
import { type Client, LimitedResource } from './client-limits.js'

/** A complete request body. */
export interface Body {
  bytes: number
  /** Returns the content to forward. Each call reads a spooled file from its start. */
  content(): Buffer | Readable
  /** Frees the memory or the file. Idempotent. */
  free(): void
}

export const tooLarge = () => new HttpError(413, DETAILS.bodyTooLarge)
export const busy = () => unavailable(DETAILS.busy)
// Closes the connection, as the rest of a slow body is not worth waiting for.
const tooSlow = () => new HttpError(408, DETAILS.timeout, { connection: 'close' })

/** Opens an unlinked temporary file: it is removed when it is closed, or when this process ends. */
const openNameless = async (): Promise<FileHandle> => {
  const path = join(tmpdir(), `iodine-body-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  await rm(path).catch(async error => {
    await file.close()
    throw error
  })
  return file
}

/** One client's access to a limited resource. */
interface Reserve {
  take(bytes: number): boolean
  release(bytes: number): void
}

interface ArrivalBounds {
  limit: number
  inMemoryBytes: number
  memory: Reserve
  spool: Reserve
}

/** One incoming body: buffered in memory, and spooled to a file past `inMemoryBytes`. */
class Arrival {
  /** Milliseconds since it began, without those in which the event loop was blocked. */
  age = 0
  seen = 0
  #chunks: Buffer[] = []
  #file: FileHandle | undefined
  #isOver = false
  #inMemory = 0
  #inFile = 0
  readonly #request: IncomingMessage
  readonly #bounds: ArrivalBounds
  readonly #done: (error: unknown, body?: Body) => void

  constructor(request: IncomingMessage, bounds: ArrivalBounds, done: (error: unknown, body?: Body) => void) {
    this.#request = request
    this.#bounds = bounds
    this.#done = done
    request.on('data', this.#onData).once('end', this.#onEnd).once('close', this.#onClose)
  }

  fail(error: unknown): void {
    if (this.#isOver) return
    this.#end()
    this.#free()
    // Unread bytes would block the connection's next request.
    this.#request.resume()
    this.#done(error)
  }

  #end(): void {
    this.#isOver = true
    this.#request.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose)
  }

  #onClose = (): void => this.fail(unavailable())

  #onData = (chunk: Buffer): void => {
    this.seen += chunk.length
    const { limit, inMemoryBytes, memory, spool } = this.#bounds
    if (this.seen > limit) this.fail(tooLarge())
    else if (!this.#file && this.seen <= inMemoryBytes) {
      if (memory.take(chunk.length)) {
        this.#inMemory += chunk.length
        this.#chunks.push(chunk)
      } else this.fail(busy())
    } else if (!spool.take(chunk.length)) this.fail(busy())
    else {
      this.#inFile += chunk.length
      this.#request.pause()
      this.#spool(chunk).then(
        () => this.#request.resume(),
        // A full or broken disk is a fault of the gateway: 503.
        () => this.fail(unavailable()),
      )
    }
  }

  async #spool(chunk: Buffer): Promise<void> {
    if (!this.#file) {
      if (!this.#bounds.spool.take(this.#inMemory)) return this.fail(busy())
      this.#inFile += this.#inMemory
      const file = await openNameless()
      // The body may have failed while the file was being opened.
      if (this.#isOver) return file.close()
      this.#file = file
      await file.writeFile(Buffer.concat(this.#chunks))
      this.#chunks = []
      this.#bounds.memory.release(this.#inMemory)
      this.#inMemory = 0
    }
    await this.#file?.writeFile(chunk)
  }

  #onEnd = (): void => {
    this.#end()
    const file = this.#file
    const whole = file ? undefined : Buffer.concat(this.#chunks)
    this.#chunks = []
    this.#done(undefined, {
      bytes: this.seen,
      content: () => whole ?? (file as FileHandle).createReadStream({ start: 0, autoClose: false }),
      free: () => this.#free(),
    })
  }

  #free(): void {
    this.#chunks = []
    this.#bounds.memory.release(this.#inMemory)
    this.#bounds.spool.release(this.#inFile)
    this.#inMemory = 0
    this.#inFile = 0
    void this.#file?.close().catch(() => {})
    this.#file = undefined
  }
}

/** Creates a reader of complete bodies. They are read before a service is called: a slow one delays only its sender. */
export const createBodies = (bounds: Bounds, refused: (reason: Refusal) => void) => {
  const { bodyMs, bodyGraceMs, bodyRate, checkMs, inMemoryBytes } = bounds
  const memory = new LimitedResource(bounds.memory)
  const spool = new LimitedResource(bounds.spool)
  const arrivals = new Set<Arrival>()
  const isTooSlow = ({ age, seen }: Arrival) =>
    age > bodyMs || seen < (Math.max(0, age - bodyGraceMs) / 1_000) * bodyRate
  const checkTimer = setInterval(() => {
    for (const arrival of arrivals) {
      arrival.age += checkMs
      if (!isTooSlow(arrival)) continue
      refused('slow_body')
      arrival.fail(tooSlow())
    }
  }, checkMs)
  checkTimer.unref()
  const reserveOf = (resource: LimitedResource, client: Client): Reserve => ({
    take: bytes => {
      const isTaken = resource.take(client, bytes)
      if (!isTaken) refused('body_room')
      return isTaken
    },
    release: bytes => resource.release(client, bytes),
  })
  return {
    /**
     * Reads a complete body of at most `limit` bytes.
     * Rejects with 413 past the limit, 408 if it arrives too slowly, 503 if no memory or disk space is left for it.
     */
    take: (request: IncomingMessage, client: Client, limit: number): Promise<Body> =>
      new Promise((resolve, reject) => {
        const room = { memory: reserveOf(memory, client), spool: reserveOf(spool, client) }
        const arrival = new Arrival(request, { limit, inMemoryBytes, ...room }, (error, body) => {
          arrivals.delete(arrival)
          if (body) resolve(body)
          else reject(error)
        })
        arrivals.add(arrival)
      }),
    /** Number of arriving bodies, and bytes of all bodies kept in memory and in files. */
    state: () => ({ arriving: arrivals.size, memory_bytes: memory.held, file_bytes: spool.held }),
    close: () => clearInterval(checkTimer),
  }
}
