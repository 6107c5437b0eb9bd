import { setTimeout as sleep } from 'node:timers/promises'
import {
  campaignsApi,
  capturesApi,
  collectorApi,
  evidenceApi,
  iodsApi,
  narrativesApi,
  profileApi,
  type TiktokRecord,
  type VoteType,
} from '@iodine/contracts'
import { captureOf, type Mail, simpleTriplets, tiktokPost } from '@iodine/test-kit'
import type { Client, Outcome } from './client.js'
import {
  type CampaignEntry,
  type CaptureEntry,
  type Entry,
  hasId,
  type IodEntry,
  isThere,
  type Ledger,
  type NarrativeEntry,
  type RecordEntry,
  Register,
  type UserEntry,
} from './ledger.js'

const TRIES = 3
export const RETRY_PAUSE_MS = 300
/** Longer than the product's own timeout for the provider. */
const NARRATIVE_MS = 75_000

const ACTORS = ['Mirrors', 'Engineers', 'Reporters', 'Lakes', 'Officials']
const VERBS = ['hide', 'warm', 'count', 'deny']
const OBJECTS = ['the numbers', 'the lake', 'old mirrors', 'every letter']

let made = 0

/** The environment of an analyst. */
export interface AnalystContext {
  client: Client
  ledger: Ledger
  random: () => number
  mails: () => readonly Mail[]
  /** Prefix of every name, which distinguishes runs over the same data. */
  run: string
}

/**
 * A simulated analyst that records acknowledged writes in the ledger. All methods resolve to whether the write was
 * acknowledged.
 */
export class Analyst {
  readonly #around: AnalystContext
  readonly #ledger: Ledger
  readonly #call: Client['call']
  readonly entry: UserEntry
  #isCapturing = false

  constructor(around: AnalystContext, entry: UserEntry) {
    this.#around = around
    this.#ledger = around.ledger
    this.#call = around.client.as(entry.token).call
    this.entry = entry
  }

  #pick<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.#around.random() * list.length)]
  }
  #fresh(kind: string): string {
    return `${kind} ${this.#around.run} ${++made}`
  }

  /**
   * Sends with retries while the outcome is unknown. Resolves to the last outcome and the number of attempts.
   * @param options.repeated status of a retry after an unanswered attempt that took effect
   */
  async #insist<T>(
    action: string,
    send: () => Promise<Outcome<T>>,
    { tries = TRIES, repeated }: { tries?: number | undefined; repeated?: number | undefined } = {},
  ): Promise<Outcome<T> & { tries: number; isRepeated: boolean }> {
    for (let tried = 1; ; tried++) {
      const outcome = await send()
      if (outcome.kind !== 'unknown' || tried >= tries) {
        const isRepeated = tried > 1 && outcome.kind !== 'done' && outcome.status === repeated
        this.#ledger.note(action, outcome, isRepeated)
        return { ...outcome, tries: tried, isRepeated }
      }
      await sleep(RETRY_PAUSE_MS)
    }
  }

  /**
   * Attempts to set a register. Resolves to whether the write was acknowledged.
   * @param options.repeated status of a retry after an unanswered attempt that took effect
   * @param options.done receives the body of the response
   */
  async #change<T, Body>(
    action: string,
    register: Register<T>,
    value: T,
    send: () => Promise<Outcome<Body>>,
    { repeated, tries, done }: { repeated?: number; tries?: number; done?: (body: Body) => void } = {},
  ): Promise<boolean> {
    register.attempt(value)
    const outcome = await this.#insist(action, send, { tries, repeated })
    if (outcome.kind === 'done') done?.(outcome.body)
    else if (!outcome.isRepeated) return false
    register.acknowledge(value, outcome.tries)
    return true
  }

  /** Deletes a random existing entry. */
  async #delete(
    kind: string,
    entries: Iterable<Entry>,
    send: (id: string) => Promise<Outcome<unknown>>,
  ): Promise<boolean> {
    const entry = this.#pick([...entries].filter(isThere))
    if (!entry) return false
    return this.#change(`delete ${kind}`, entry.exists, false, () => send(entry.id), { repeated: 404 })
  }

  async ingest(): Promise<boolean> {
    const { records } = this.entry
    const known = [...records.values()].filter(isThere)
    const bodies = Array.from({ length: 5 }, (_, n): TiktokRecord => {
      const again = n === 0 ? this.#pick(known) : undefined
      const description = this.#fresh('post')
      const body = tiktokPost({ ...(again && { video_id: again.videoId }), description })
      const videoId = body.main.video_id
      const entry: RecordEntry = again ?? { videoId, versions: new Map(), exists: new Register(false) }
      entry.exists.attempt(true)
      entry.versions.set(body.collector_metadata.fetch_timestamp, description)
      records.set(videoId, entry)
      return body
    })
    const outcome = await this.#insist('ingest', () =>
      this.#call(collectorApi.ingestRecords, { params: { source: 'tiktok' }, body: { records: bodies } }),
    )
    if (outcome.kind !== 'done') return false
    for (const [index, result] of outcome.body.results.entries()) {
      const body = bodies[index] as TiktokRecord
      const entry = records.get(body.main.video_id)
      if (!entry || !('id' in result)) {
        this.#ledger.surprises.push(`ingest: ${JSON.stringify(result)}`)
        continue
      }
      entry.id = result.id
      entry.acknowledged = body.collector_metadata.fetch_timestamp
      entry.exists.acknowledge(true, outcome.tries)
    }
    return true
  }

  deleteRecord(): Promise<boolean> {
    return this.#delete('record', this.entry.records.values(), id =>
      this.#call(collectorApi.deleteRecord, { params: { source: 'tiktok', id } }),
    )
  }

  async createIod(): Promise<boolean> {
    const value = this.#fresh('claim')
    const entry: IodEntry = { value, creator: this.entry.id, exists: new Register(false), votes: new Map() }
    this.#ledger.iods.push(entry)
    const body = { value, category: 'SENTENCE', description: 'seen today', source_type: 'MANUAL' } as const
    return this.#change('create IOD', entry.exists, true, () => this.#call(iodsApi.createIod, { body }), {
      repeated: 409,
      done: keepId(entry),
    })
  }

  async vote(): Promise<boolean> {
    const me = this.entry.id
    const entry = this.#pick(this.#ledger.iods.filter(hasId).filter(({ votes }) => !votes.has(me)))
    if (!entry) return false
    const params = { id: entry.id }
    const vote_type = this.#around.random() < 0.5 ? 'POSITIVE' : 'NEGATIVE'
    const vote = new Register<VoteType | null>(null)
    entry.votes.set(me, vote)
    const send = () => this.#call(iodsApi.voteIod, { params, body: { vote_type } })
    return this.#change('vote', vote, vote_type, send, { repeated: 409 })
  }

  /**
   * Creates a campaign. A campaign has no natural key, so its creation is not idempotent and not retried without a response.
   */
  async createCampaign(): Promise<boolean> {
    const name = this.#fresh('campaign')
    const entry: CampaignEntry = { name: new Register(name), exists: new Register(false), members: new Map() }
    this.entry.campaigns.push(entry)
    const send = () => this.#call(campaignsApi.createCampaign, { body: { name } })
    return this.#change('create campaign', entry.exists, true, send, { tries: 1, done: keepId(entry) })
  }

  async editCampaign(): Promise<boolean> {
    const entry = this.#pick(this.entry.campaigns.filter(isThere))
    if (!entry) return this.createCampaign()
    const name = this.#fresh('campaign')
    return this.#change('edit campaign', entry.name, name, () =>
      this.#call(campaignsApi.updateCampaign, { params: { id: entry.id }, body: { name } }),
    )
  }

  async changeMember(): Promise<boolean> {
    const entry = this.#pick(this.entry.campaigns.filter(isThere))
    const iod = this.#pick(this.#ledger.iods.filter(hasId))
    if (!entry || !iod) return false
    const member = entry.members.get(iod.id) ?? new Register(false)
    entry.members.set(iod.id, member)
    // While the state is unknown, an earlier request that arrives late could still change it.
    if (!member.isCertain) return false
    const input = { params: { id: entry.id }, body: { iod_id: iod.id } }
    return member.known
      ? this.#change('remove from campaign', member, false, () => this.#call(campaignsApi.removeIod, input))
      : this.#change('add to campaign', member, true, () => this.#call(campaignsApi.addIod, input))
  }

  async deleteCampaign(): Promise<boolean> {
    if (this.entry.campaigns.length < 3) return this.createCampaign()
    return this.#delete('campaign', this.entry.campaigns, id =>
      this.#call(campaignsApi.deleteCampaign, { params: { id } }),
    )
  }

  async createNarrative(): Promise<boolean> {
    const src = this.#fresh('text').replaceAll(' ', '/')
    const sentence = () => `${this.#pick(ACTORS)} ${this.#pick(VERBS)} ${this.#pick(OBJECTS)}`
    const text = `${sentence()}. ${sentence()}. Nobody reads ${src}.`
    const entry: NarrativeEntry = { src, triplets: simpleTriplets(text), exists: new Register(false) }
    this.entry.narratives.push(entry)
    const send = () => this.#call(narrativesApi.createNarrative, { body: { text, src }, ms: NARRATIVE_MS })
    return this.#change('create narrative', entry.exists, true, send, {
      tries: 1,
      done: ({ id, triplets_extracted }) => {
        entry.id = id
        if (triplets_extracted !== entry.triplets.length)
          this.#ledger.surprises.push(`create narrative: ${triplets_extracted} triplets of ${text}`)
      },
    })
  }

  deleteNarrative(): Promise<boolean> {
    return this.#delete('narrative', this.entry.narratives, id =>
      this.#call(narrativesApi.deleteNarrative, { params: { id } }),
    )
  }

  async rename(): Promise<boolean> {
    const username = `n${this.#around.run}${(++made).toString(36)}`
    return this.#change('rename', this.entry.username, username, () =>
      this.#call(profileApi.setupUsername, { body: { username } }),
    )
  }

  /** Captures a page with the words of an IOD, seals the capture and quotes it. */
  async capture(): Promise<boolean> {
    if (this.#isCapturing) return false
    this.#isCapturing = true
    try {
      const entry = this.entry.captures.find(({ sealed }) => !sealed) ?? this.#newCapture()
      return entry !== undefined && (await this.#seal(entry)) && (await this.#quote(entry))
    } finally {
      this.#isCapturing = false
    }
  }

  #newCapture(): CaptureEntry | undefined {
    const iod = this.#pick(this.#ledger.iods.filter(hasId))
    if (!iod) return undefined
    const text = `${this.#fresh('page')}: ${iod.value} 🛰, says nobody.`
    const captured = captureOf({ dom: `<article><p>${text}</p></article>`, text })
    const entry = { text, captured, iod, exists: new Register(false), quoted: new Register(false) }
    this.entry.captures.push(entry)
    return entry
  }

  /** Seals a capture, or continues an attempt that a fault interrupted. */
  async #seal(entry: CaptureEntry): Promise<boolean> {
    const { manifest, contents } = entry.captured
    const begun = await this.#insist('create a capture', () =>
      this.#call(capturesApi.createCapture, { body: manifest }),
    )
    if (begun.kind !== 'done') return false
    const { id, missing } = begun.body
    entry.id = id
    for (const sha256 of missing) {
      const sent = await this.#insist('send a blob', () =>
        this.#call(capturesApi.putBlob, {
          params: { id, sha256 },
          body: contents.get(sha256) ?? new Uint8Array(),
        }),
      )
      if (sent.kind !== 'done') return false
    }
    return this.#change(
      'seal a capture',
      entry.exists,
      true,
      () => this.#call(capturesApi.sealCapture, { params: { id } }),
      {
        done: sealed => {
          entry.sealed = sealed
        },
      },
    )
  }

  #quote({ id, text, iod, quoted }: CaptureEntry): Promise<boolean> {
    const start = text.indexOf(iod.value)
    const place = { role: 'text', start, end: start + iod.value.length, exact: iod.value } as const
    const input = { params: { id: iod.id }, body: { capture_id: id, ...place } }
    return this.#change('quote a capture', quoted, true, () => this.#call(evidenceApi.addEvidence, input), {
      repeated: 409,
    })
  }

  /** Runs a random action of the mix. */
  act(): Promise<boolean> {
    const mix: [number, () => Promise<boolean>][] = [
      [20, () => this.ingest()],
      [8, () => this.deleteRecord()],
      [18, () => this.createIod()],
      [18, () => this.vote()],
      [4, () => this.createCampaign()],
      [6, () => this.editCampaign()],
      [10, () => this.changeMember()],
      [3, () => this.deleteCampaign()],
      [8, () => this.createNarrative()],
      [3, () => this.deleteNarrative()],
      [2, () => this.rename()],
      [12, () => this.capture()],
    ]
    let at = this.#around.random() * mix.reduce((sum, [weight]) => sum + weight, 0)
    for (const [weight, action] of mix) {
      at -= weight
      if (at < 0) return action()
    }
    return this.vote()
  }
}

const keepId =
  (entry: Entry) =>
  ({ id }: { id: string }) => {
    entry.id = id
  }
