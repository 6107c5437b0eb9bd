import { TAXII_TYPE } from '@iodine/contracts'

/** A STIX object as a client stores it. */
interface PulledObject {
  id: string
  type: string
  modified?: string
  revoked?: boolean
  [name: string]: unknown
}
interface Envelope {
  more?: boolean
  next?: string
  objects?: PulledObject[]
}

/** A feed: its API root, and the header by which the key is sent. */
export interface TaxiiAddress {
  /** With a trailing slash. */
  root: string
  authorization: string
}

const read = async ({ root, authorization }: TaxiiAddress, path: string, query: Record<string, string>) => {
  const url = new URL(path, root)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  const answer = await fetch(url, { headers: { accept: TAXII_TYPE, authorization } })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${answer.status} of ${url}: ${text}`)
  return {
    text,
    envelope: JSON.parse(text) as Envelope,
    addedLast: answer.headers.get('x-taxii-date-added-last'),
  }
}

/** Client by the standard (TAXII 2.1): reads pages by `next`, and continues from the last X-TAXII-Date-Added-Last. */
export class TaxiiReader {
  readonly #at: TaxiiAddress
  readonly #collection: string
  readonly #limit: number | undefined
  #after: string | undefined
  /** Latest version of each object by its id. */
  readonly objects = new Map<string, PulledObject>()
  /** All answers as text, to compare bytes. */
  text = ''

  constructor(at: TaxiiAddress, collection: string, limit?: number) {
    this.#at = at
    this.#collection = collection
    this.#limit = limit
  }

  /** Reads new objects. Resolves to them in the order of arrival. */
  async pull(): Promise<PulledObject[]> {
    const pulled: PulledObject[] = []
    const query: Record<string, string> = {
      ...(this.#after !== undefined && { added_after: this.#after }),
      ...(this.#limit !== undefined && { limit: String(this.#limit) }),
    }
    for (;;) {
      const { envelope, addedLast, text } = await read(
        this.#at,
        `collections/${this.#collection}/objects/`,
        query,
      )
      this.text += text
      const { objects = [], more = false, next } = envelope
      if (objects.length > 0 !== (addedLast !== null)) throw new Error('a page without its header')
      for (const object of objects) {
        pulled.push(object)
        this.objects.set(object.id, object)
      }
      if (addedLast !== null) this.#after = addedLast
      if (!more) return pulled
      if (next === undefined) throw new Error('more without next')
      query.next = next
    }
  }
}

/**
 * OpenCTI's client: one request a run. It sends its `added_after` along with `next` while there is more. After the last
 * page it continues from X-TAXII-Date-Added-Last, truncated to milliseconds.
 */
export class OpenctiPuller {
  readonly #at: TaxiiAddress
  readonly #collection: string
  #cursor: string | undefined
  #addedAfter: string | undefined
  readonly objects = new Map<string, PulledObject>()

  constructor(at: TaxiiAddress, collection: string) {
    this.#at = at
    this.#collection = collection
  }

  /** Runs once. Resolves to the number of objects that it ingests. */
  async run(): Promise<number> {
    const { envelope, addedLast } = await read(this.#at, `collections/${this.#collection}/objects/`, {
      ...(this.#cursor !== undefined && { next: this.#cursor }),
      ...(this.#addedAfter !== undefined && { added_after: this.#addedAfter }),
    })
    const { objects = [], more = false, next } = envelope
    if (objects.length === 0) return 0
    for (const object of objects) this.objects.set(object.id, object)
    if (more && next) {
      this.#cursor = next
    } else {
      if (addedLast === null) throw new Error('a page without its header')
      this.#cursor = undefined
      this.#addedAfter = new Date(addedLast).toISOString()
    }
    return objects.length
  }

  /** Runs until a run ingests no object. Resolves to the number of objects. */
  async settle(): Promise<number> {
    let all = 0
    for (;;) {
      const some = await this.run()
      if (some === 0) return all
      all += some
    }
  }
}
