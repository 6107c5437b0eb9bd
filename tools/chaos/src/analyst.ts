import { setTimeout as sleep } from 'node:timers/promises'
import {
  authApi,
  campaignsApi,
  collectorApi,
  iodsApi,
  narrativesApi,
  profileApi,
  type TiktokRecord,
} from '@iodine/contracts'
import { linkIn, type Mail, simpleTriplets, tiktokPost } from '@iodine/test-kit'
import type { Client, Outcome } from './client.js'
import { type CampaignEntry, type IodEntry, type Ledger, Register, type UserEntry } from './ledger.js'

const TRIES = 3
const RETRY_PAUSE_MS = 300
const MAIL_WAIT_MS = 90_000
/** Longer than the product itself waits for the provider. */
const NARRATIVE_MS = 75_000

const ACTORS = ['Mirrors', 'Engineers', 'Reporters', 'Lakes', 'Officials']
const VERBS = ['hide', 'warm', 'count', 'deny']
const OBJECTS = ['the numbers', 'the lake', 'old mirrors', 'every letter']

let made = 0

/** What an analyst needs around them. */
export interface Surroundings {
  client: Client
  ledger: Ledger
  random: () => number
  mails: () => readonly Mail[]
  /** Begins every name, so that runs over the same data could be told apart. */
  run: string
}

/** Does what analysts do, and writes down what was acknowledged. All methods resolve to whether it was. */
export class Analyst {
  readonly #around: Surroundings
  readonly entry: UserEntry

  constructor(around: Surroundings, entry: UserEntry) {
    this.#around = around
    this.entry = entry
  }

  get #client() {
    return this.#around.client
  }
  get #ledger() {
    return this.#around.ledger
  }

  #pick<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.#around.random() * list.length)]
  }
  #fresh(kind: string): string {
    return `${kind} ${this.#around.run} ${++made}`
  }

  /** Sends, and sends again while nobody knows what became of it; `tries` tells how often it took. */
  async #insist<T>(
    action: string,
    send: () => Promise<Outcome<T>>,
    tries = TRIES,
  ): Promise<Outcome<T> & { tries: number }> {
    for (let tried = 1; ; tried++) {
      const outcome = await send()
      this.#ledger.count(action, outcome.kind)
      if (outcome.kind !== 'unknown' || tried >= tries) return { ...outcome, tries: tried }
      await sleep(RETRY_PAUSE_MS)
    }
  }

  /** Notes a refusal; one that an earlier, unanswered try explains is none. */
  #surprised(action: string, outcome: Outcome<unknown>): false {
    if (outcome.kind === 'refused')
      this.#ledger.surprises.push(`${action}: ${outcome.status} ${outcome.detail}`)
    return false
  }

  async ingest(): Promise<boolean> {
    const { records } = this.entry
    const known = [...records.values()].filter(({ exists }) => exists.known && exists.isCertain)
    const bodies: TiktokRecord[] = []
    for (let n = 0; n < 5; n++) {
      const again = n === 0 ? this.#pick(known) : undefined
      const description = this.#fresh('post')
      const body = tiktokPost({ ...(again && { video_id: again.videoId }), description })
      const { video_id } = body.main
      const entry = again ?? {
        videoId: video_id,
        versions: new Map(),
        acknowledged: undefined,
        id: undefined,
        exists: new Register(false),
      }
      entry.exists.attempt(true)
      entry.versions.set(body.collector_metadata.fetch_timestamp, description)
      records.set(video_id, entry)
      bodies.push(body)
    }
    const outcome = await this.#insist('ingest', () =>
      this.#client.call(collectorApi.ingestRecords, {
        token: this.entry.token,
        params: { source: 'tiktok' },
        body: { records: bodies },
      }),
    )
    if (outcome.kind !== 'done') return this.#surprised('ingest', outcome)
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

  async deleteRecord(): Promise<boolean> {
    const entry = this.#pick(
      [...this.entry.records.values()].filter(({ id, exists }) => id && exists.known && exists.isCertain),
    )
    if (!entry?.id) return false
    const { id } = entry
    entry.exists.attempt(false)
    const outcome = await this.#insist('delete record', () =>
      this.#client.call(collectorApi.deleteRecord, {
        token: this.entry.token,
        params: { source: 'tiktok', id },
      }),
    )
    if (outcome.kind === 'done' || (outcome.status === 404 && outcome.tries > 1)) {
      entry.exists.acknowledge(false, outcome.tries)
      return true
    }
    return this.#surprised('delete record', outcome)
  }

  async createIod(): Promise<boolean> {
    const value = this.#fresh('claim')
    const entry: IodEntry = {
      value,
      creator: this.entry.id,
      id: undefined,
      exists: new Register(false),
      votes: new Map(),
    }
    entry.exists.attempt(true)
    this.#ledger.iods.push(entry)
    const outcome = await this.#insist('create IOD', () =>
      this.#client.call(iodsApi.createIod, {
        token: this.entry.token,
        body: { value, category: 'SENTENCE', description: 'seen today', source_type: 'MANUAL' },
      }),
    )
    if (outcome.kind === 'done') entry.id = outcome.body.id
    if (outcome.kind === 'done' || (outcome.status === 409 && outcome.tries > 1)) {
      entry.exists.acknowledge(true, outcome.tries)
      return true
    }
    return this.#surprised('create IOD', outcome)
  }

  async vote(): Promise<boolean> {
    const { id: me, token } = this.entry
    const entry = this.#pick(this.#ledger.iods.filter(({ id, votes }) => id && !votes.has(me)))
    if (!entry?.id) return false
    const { id } = entry
    const vote_type = this.#around.random() < 0.5 ? 'POSITIVE' : 'NEGATIVE'
    const vote = new Register<'POSITIVE' | 'NEGATIVE' | null>(null)
    vote.attempt(vote_type)
    entry.votes.set(me, vote)
    const outcome = await this.#insist('vote', () =>
      this.#client.call(iodsApi.voteIod, { token, params: { id }, body: { vote_type } }),
    )
    if (outcome.kind === 'done' || (outcome.status === 409 && outcome.tries > 1)) {
      vote.acknowledge(vote_type, outcome.tries)
      return true
    }
    return this.#surprised('vote', outcome)
  }

  /** A campaign has no natural key: whoever gets no answer looks before they try again. */
  async createCampaign(): Promise<boolean> {
    const name = this.#fresh('campaign')
    const entry: CampaignEntry = {
      name: new Register(name),
      id: undefined,
      exists: new Register(false),
      members: new Map(),
    }
    entry.exists.attempt(true)
    this.entry.campaigns.push(entry)
    const outcome = await this.#insist(
      'create campaign',
      () => this.#client.call(campaignsApi.createCampaign, { token: this.entry.token, body: { name } }),
      1,
    )
    if (outcome.kind !== 'done') return this.#surprised('create campaign', outcome)
    entry.id = outcome.body.id
    entry.exists.acknowledge(true, outcome.tries)
    return true
  }

  #campaign(): CampaignEntry | undefined {
    return this.#pick(this.entry.campaigns.filter(({ id, exists }) => id && exists.known && exists.isCertain))
  }

  async editCampaign(): Promise<boolean> {
    const entry = this.#campaign()
    if (!entry?.id) return this.createCampaign()
    const { id } = entry
    const name = this.#fresh('campaign')
    entry.name.attempt(name)
    const outcome = await this.#insist('edit campaign', () =>
      this.#client.call(campaignsApi.updateCampaign, {
        token: this.entry.token,
        params: { id },
        body: { name },
      }),
    )
    if (outcome.kind !== 'done') return this.#surprised('edit campaign', outcome)
    entry.name.acknowledge(name, outcome.tries)
    return true
  }

  async changeMember(): Promise<boolean> {
    const entry = this.#campaign()
    const iod = this.#pick(this.#ledger.iods.filter(each => each.id))
    if (!entry?.id || !iod?.id) return false
    const { id } = entry
    const member = entry.members.get(iod.id) ?? new Register(false)
    entry.members.set(iod.id, member)
    // Once nobody knows where it stands, a late request of before could still turn it over.
    if (!member.isCertain) return false
    const isIn = !member.known
    const body = { iod_id: iod.id }
    member.attempt(isIn)
    const { token } = this.entry
    const outcome = isIn
      ? await this.#insist('add to campaign', () =>
          this.#client.call(campaignsApi.addIod, { token, params: { id }, body }),
        )
      : await this.#insist('remove from campaign', () =>
          this.#client.call(campaignsApi.removeIod, { token, params: { id }, body }),
        )
    if (outcome.kind !== 'done') return this.#surprised('change campaign', outcome)
    member.acknowledge(isIn, outcome.tries)
    return true
  }

  async deleteCampaign(): Promise<boolean> {
    if (this.entry.campaigns.length < 3) return this.createCampaign()
    const entry = this.#campaign()
    if (!entry?.id) return false
    const { id } = entry
    entry.exists.attempt(false)
    const outcome = await this.#insist('delete campaign', () =>
      this.#client.call(campaignsApi.deleteCampaign, { token: this.entry.token, params: { id } }),
    )
    if (outcome.kind === 'done' || (outcome.status === 404 && outcome.tries > 1)) {
      entry.exists.acknowledge(false, outcome.tries)
      return true
    }
    return this.#surprised('delete campaign', outcome)
  }

  async createNarrative(): Promise<boolean> {
    const src = this.#fresh('text').replaceAll(' ', '/')
    const sentence = () => `${this.#pick(ACTORS)} ${this.#pick(VERBS)} ${this.#pick(OBJECTS)}`
    const text = `${sentence()}. ${sentence()}. Nobody reads ${src}.`
    const entry = {
      src,
      id: undefined as string | undefined,
      triplets: simpleTriplets(text),
      exists: new Register(false),
    }
    entry.exists.attempt(true)
    this.entry.narratives.push(entry)
    const outcome = await this.#insist(
      'create narrative',
      () =>
        this.#client.call(narrativesApi.createNarrative, {
          token: this.entry.token,
          body: { text, src },
          ms: NARRATIVE_MS,
        }),
      1,
    )
    if (outcome.kind !== 'done') return this.#surprised('create narrative', outcome)
    entry.id = outcome.body.id
    entry.exists.acknowledge(true, outcome.tries)
    if (outcome.body.triplets_extracted !== entry.triplets.length)
      this.#ledger.surprises.push(`create narrative: ${outcome.body.triplets_extracted} triplets of ${text}`)
    return true
  }

  async deleteNarrative(): Promise<boolean> {
    const entry = this.#pick(
      this.entry.narratives.filter(({ id, exists }) => id && exists.known && exists.isCertain),
    )
    if (!entry?.id) return false
    const { id } = entry
    entry.exists.attempt(false)
    const outcome = await this.#insist('delete narrative', () =>
      this.#client.call(narrativesApi.deleteNarrative, { token: this.entry.token, params: { id } }),
    )
    if (outcome.kind === 'done' || (outcome.status === 404 && outcome.tries > 1)) {
      entry.exists.acknowledge(false, outcome.tries)
      return true
    }
    return this.#surprised('delete narrative', outcome)
  }

  async rename(): Promise<boolean> {
    const username = newUsername(this.#around)
    this.entry.username.attempt(username)
    const outcome = await this.#insist('rename', () =>
      this.#client.call(profileApi.setupUsername, { token: this.entry.token, body: { username } }),
    )
    if (outcome.kind !== 'done') return this.#surprised('rename', outcome)
    this.entry.username.acknowledge(username, outcome.tries)
    return true
  }

  /** One thing of the mix. */
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
    ]
    let at = this.#around.random() * mix.reduce((sum, [weight]) => sum + weight, 0)
    for (const [weight, action] of mix) {
      at -= weight
      if (at < 0) return action()
    }
    return this.vote()
  }
}

const newUsername = ({ run }: Surroundings) => `n${run}${(++made).toString(36)}`

/** Asks for a sign-in link; resolves to the token in a mail that had not been there. */
const mailedToken = async (around: Surroundings, email: string): Promise<string | undefined> => {
  const { client, ledger, mails } = around
  const mine = () => mails().filter(({ to }) => to.includes(email))
  const before = new Set(mine().map(({ messageId }) => messageId))
  const asked = ledger.mails.get(email) ?? { acknowledged: 0, unknown: 0 }
  ledger.mails.set(email, asked)
  const outcome = await client.call(authApi.requestMagicLink, { body: { email } })
  ledger.count('ask for a link', outcome.kind)
  if (outcome.kind !== 'done') {
    if (outcome.kind === 'unknown') asked.unknown++
    else ledger.surprises.push(`ask for a link: ${outcome.status} ${outcome.detail}`)
    return undefined
  }
  asked.acknowledged++
  for (const deadline = Date.now() + MAIL_WAIT_MS; Date.now() < deadline; await sleep(200)) {
    const mail = mine().find(({ messageId }) => !before.has(messageId))
    if (mail) return new URL(linkIn(mail)).searchParams.get('token') ?? ''
  }
  return undefined
}

/** Whether a sign-in mail arrives. */
export const asksForLink = async (around: Surroundings): Promise<boolean> =>
  (await mailedToken(around, `canary${++made}@${around.run}.example`)) !== undefined

/** Signs somebody new in by a mailed link, as often as it takes, and chooses a username; undefined when `until` comes first. */
export const registerAnalyst = async (
  around: Surroundings,
  isOver: () => boolean,
): Promise<Analyst | undefined> => {
  const { client, ledger } = around
  const email = `person${++made}@${around.run}.example`
  let token: string | undefined
  while (token === undefined) {
    if (isOver()) return undefined
    const mailed = await mailedToken(around, email)
    if (mailed === undefined) {
      await sleep(RETRY_PAUSE_MS)
      continue
    }
    const outcome = await client.call(authApi.verifyMagicLink, { body: { token: mailed } })
    ledger.count('sign in', outcome.kind)
    if (outcome.kind === 'done') token = outcome.body.access_token
    else if (outcome.kind === 'refused') ledger.surprises.push(`sign in: ${outcome.status} ${outcome.detail}`)
  }
  for (;;) {
    const profile = await client.call(profileApi.getProfile, { token })
    if (profile.kind === 'done') {
      const entry: UserEntry = {
        id: profile.body.id,
        email,
        token,
        username: new Register(''),
        records: new Map(),
        campaigns: [],
        narratives: [],
      }
      ledger.users.push(entry)
      const analyst = new Analyst(around, entry)
      while (!isOver() && !(await analyst.rename())) await sleep(RETRY_PAUSE_MS)
      for (;;) {
        if (isOver()) return undefined
        const key = await client.call(profileApi.updateOpenaiKey, { token, body: { api_key: 'sk-chaos' } })
        if (key.kind === 'done') return analyst
        await sleep(RETRY_PAUSE_MS)
      }
    }
    if (profile.kind === 'refused') {
      ledger.surprises.push(`first profile: ${profile.status} ${profile.detail}`)
      return undefined
    }
    if (isOver()) return undefined
    await sleep(RETRY_PAUSE_MS)
  }
}
