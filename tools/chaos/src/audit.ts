import {
  type Checkpoint,
  campaignsApi,
  capturesApi,
  collectorApi,
  communityApi,
  evidenceApi,
  foldLabel,
  graphApi,
  type Iod,
  iodsApi,
  type Narrative,
  narrativesApi,
  profileApi,
  sealsApi,
} from '@iodine/contracts'
import { leafHash, verifyCheckpoint, verifyConsistency, verifyInclusion } from '@iodine/evidence'
import type { Mail } from '@iodine/test-kit'
import type { Ask, Client } from './client.js'
import type { CaptureEntry, Ledger, UserEntry } from './ledger.js'

export interface Audit {
  /** Acknowledged writes that are missing or differ. */
  lost: string[]
  /** Duplicates, and entries that must not exist. */
  duplicated: string[]
  /** Number of acknowledged entries checked. */
  checked: number
  /** Mails that the server accepted twice, with the same Message-ID. */
  repeatedMails: number
}

/** Timeout of a request in milliseconds. */
const WAIT_MS = 60_000

/** Counts the occurrences of each text. */
const tally = (texts: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}

type Expect = (isSo: boolean, kind: 'lost' | 'duplicated', what: string) => void

/** Expects each known text exactly once, and no other text. */
const expectOnce = (
  texts: readonly string[],
  expect: Expect,
  what: (text: string) => string,
  known: { has(text: string): boolean } = { has: () => true },
): void => {
  for (const [text, count] of tally(texts))
    expect(count === 1 && known.has(text), 'duplicated', `${what(text)}: ${count} times`)
}

/** Compares all stored data with the ledger, over the API. All parts must be up, without pending work. */
export const audit = async (client: Client, ledger: Ledger, mails: readonly Mail[]): Promise<Audit> => {
  const result: Audit = { lost: [], duplicated: [], checked: 0, repeatedMails: 0 }
  const expect: Expect = (isSo, kind, what) => {
    result.checked++
    if (!isSo) result[kind].push(what)
  }
  const askAs = ({ token }: UserEntry): Ask => {
    const { call } = client.as(token, WAIT_MS)
    return async (endpoint, ...input) => {
      const outcome = await call(endpoint, ...input)
      if (outcome.kind === 'done') return outcome.body
      throw new Error(`audit: ${endpoint.path} returned ${outcome.status} ${outcome.detail}`)
    }
  }

  const reader = askAs(ledger.users[0] as UserEntry)
  const iods: Iod[] = await reader(iodsApi.listIods)
  auditIods(iods, ledger, expect)
  for (const user of ledger.users) {
    const ask = askAs(user)
    const { username, email } = await ask(profileApi.getProfile)
    expect(user.username.allows(username ?? ''), 'lost', `name ${user.username.known} of ${user.email}`)
    expect(email === user.email, 'lost', `account ${user.email}`)
    await auditRecords(user, ask, expect)
    await auditCampaigns(user, ask, expect)
    const narratives = await auditNarratives(user, ask, expect)
    await auditGraph(user, narratives, ask, expect)
    const owned = [...iods.filter(iod => iod.created_by_id === user.id), ...narratives]
    // A profile is public once it has a username.
    if (username !== null) await auditProfile(user, username, owned, reader, expect)
  }

  await auditSeals(ledger, askAs, expect)

  const distinct = [...new Map(mails.map(mail => [mail.messageId, mail])).values()]
  result.repeatedMails = mails.length - distinct.length
  const mailsTo = tally(distinct.flatMap(({ to }) => to))
  for (const [email, { acknowledged, unknown }] of ledger.mails) {
    const sent = mailsTo.get(email) ?? 0
    expect(sent >= acknowledged, 'lost', `mail to ${email}: ${sent} of ${acknowledged}`)
    expect(sent <= acknowledged + unknown, 'duplicated', `mail to ${email}: ${sent} of ${acknowledged}`)
  }
  return result
}

const auditIods = (iods: readonly Iod[], ledger: Ledger, expect: Expect): void => {
  expectOnce(
    iods.map(iod => iod.value),
    expect,
    value => `IOD ${value}`,
  )
  const byValue = new Map(iods.map(iod => [iod.value, iod]))
  for (const entry of ledger.iods) {
    const iod = byValue.get(entry.value)
    expect(entry.exists.allows(iod !== undefined), 'lost', `IOD ${entry.value}`)
    if (!iod) continue
    expect(iod.created_by_id === entry.creator, 'lost', `creator of ${entry.value}`)
    const voters = iod.votes.map(vote => vote.user_id ?? '')
    expectOnce(voters, expect, user => `vote of ${user} on ${entry.value}`, entry.votes)
    for (const [user, vote] of entry.votes) {
      const found = iod.votes.find(each => each.user_id === user)?.vote_type ?? null
      expect(vote.allows(found), 'lost', `vote of ${user} on ${entry.value}: ${found}`)
    }
  }
}

const auditRecords = async (user: UserEntry, ask: Ask, expect: Expect): Promise<void> => {
  const records = await ask(collectorApi.listRecords, { params: { source: 'tiktok' } })
  const found = new Map<string, { time: string; text: string }>()
  for (const record of records) {
    if (!('main' in record)) continue
    const { video_id, description } = record.main
    expect(!found.has(video_id), 'duplicated', `record ${video_id}`)
    found.set(video_id, { time: record.collector_metadata.fetch_timestamp, text: description ?? '' })
  }
  for (const entry of user.records.values()) {
    const record = found.get(entry.videoId)
    expect(entry.exists.allows(record !== undefined), 'lost', `record ${entry.videoId}`)
    if (!record) continue
    expect(entry.versions.get(record.time) === record.text, 'lost', `version of ${entry.videoId}`)
    expect(record.time >= (entry.acknowledged ?? ''), 'lost', `newest version of ${entry.videoId}`)
    found.delete(entry.videoId)
  }
  expect(found.size === 0, 'duplicated', `${found.size} records that no analyst sent`)
}

const auditCampaigns = async (user: UserEntry, ask: Ask, expect: Expect): Promise<void> => {
  const campaigns = await ask(campaignsApi.listMyCampaigns)
  const left = new Map(campaigns.map(campaign => [campaign.id, campaign]))
  for (const entry of user.campaigns) {
    // Without a response to its creation, a campaign can be identified only by its name.
    const campaign = entry.id
      ? left.get(entry.id)
      : [...left.values()].find(({ name }) => entry.name.allows(name))
    expect(entry.exists.allows(campaign !== undefined), 'lost', `campaign ${entry.name.known}`)
    if (!campaign) continue
    left.delete(campaign.id)
    expect(entry.name.allows(campaign.name), 'lost', `name ${entry.name.known}, found ${campaign.name}`)
    const detail = await ask(campaignsApi.getCampaign, { params: { id: campaign.id } })
    const members = detail.iods.map(({ id }) => id)
    expect(detail.iod_count === detail.iods.length, 'duplicated', `count of ${campaign.name}`)
    expectOnce(members, expect, id => `${id} in ${campaign.name}`, entry.members)
    for (const [id, member] of entry.members)
      expect(member.allows(members.includes(id)), 'lost', `${id} in ${campaign.name}: ${member.known}`)
  }
  for (const { name } of left.values()) expect(false, 'duplicated', `campaign ${name}`)
}

const auditNarratives = async (user: UserEntry, ask: Ask, expect: Expect): Promise<Narrative[]> => {
  const narratives = await ask(narrativesApi.listNarratives)
  expectOnce(
    narratives.map(narrative => narrative.src ?? ''),
    expect,
    src => `narrative ${src}`,
  )
  const ids = narratives.flatMap(({ triplets }) => triplets.map(({ id }) => String(id)))
  expect(new Set(ids).size === ids.length, 'duplicated', `triplet ids of ${user.email}`)
  const bySrc = new Map(narratives.map(narrative => [narrative.src, narrative]))
  for (const entry of user.narratives) {
    const narrative = bySrc.get(entry.src)
    expect(entry.exists.allows(narrative !== undefined), 'lost', `narrative ${entry.src}`)
    if (!narrative) continue
    const plain = narrative.triplets.map(({ subject, verb, object }) => ({ subject, verb, object }))
    expect(
      JSON.stringify(plain) === JSON.stringify(entry.triplets),
      plain.length > entry.triplets.length ? 'duplicated' : 'lost',
      `triplets of ${entry.src}`,
    )
  }
  return narratives
}

/** Compares the graph with a recount. */
const auditGraph = async (
  user: UserEntry,
  narratives: readonly Narrative[],
  ask: Ask,
  expect: Expect,
): Promise<void> => {
  const graph = await ask(graphApi.getTriplets)
  const fold = (kind: string, label: string) => `${kind}:${foldLabel(label)}`
  const counted = tally(
    narratives.flatMap(({ triplets }) =>
      triplets.flatMap(({ subject, verb, object }) => [
        `${fold('entity', subject)} → ${fold('verb', verb)}`,
        `${fold('verb', verb)} → ${fold('entity', object)}`,
      ]),
    ),
  )
  const held = new Map(graph.links.map(({ source, target, count }) => [`${source} → ${target}`, count]))
  for (const [link, count] of counted)
    expect(
      (held.get(link) ?? 0) >= count,
      'lost',
      `graph of ${user.email}: ${link} ${held.get(link)} of ${count}`,
    )
  for (const [link, count] of held)
    expect(count <= (counted.get(link) ?? 0), 'duplicated', `graph of ${user.email}: ${link} ${count}`)
}

/** Compares a member's community projection with the data of the services. */
const auditProfile = async (
  { id, email }: UserEntry,
  name: string,
  owned: readonly { id: string }[],
  ask: Ask,
  expect: Expect,
): Promise<void> => {
  const shown: string[] = []
  for (let isLast = false; !isLast; ) {
    const query = { skip: String(shown.length), limit: '100' }
    const page = await ask(communityApi.getUser, { params: { id }, query })
    shown.push(...page.all_contributions.map(each => each.id))
    isLast = page.all_contributions.length < 100
    if (!isLast) continue
    expect(page.username === name, 'lost', `public name ${name}: ${page.username}`)
    expect(
      page.total_iods + page.total_narratives === shown.length,
      'duplicated',
      `contributions of ${email}`,
    )
  }
  const ids = new Set(owned.map(each => each.id))
  for (const own of ids) expect(shown.includes(own), 'lost', `contribution ${own} of ${email}`)
  expectOnce(shown, expect, each => `contribution ${each} of ${email}`, ids)
}

/**
 * Compares captures, their seals and quotes, and checks the log: each position is a capture of an analyst, and the newest
 * checkpoint is consistent with each earlier one.
 */
const auditSeals = async (ledger: Ledger, askAs: (user: UserEntry) => Ask, expect: Expect): Promise<void> => {
  const sealed = ledger.users.flatMap(user =>
    user.captures.flatMap(entry => (entry.sealed ? [{ ...entry, sealed: entry.sealed, user }] : [])),
  )
  const [someone] = sealed
  if (!someone) return
  const ask = askAs(someone.user)
  const keys = await ask(sealsApi.getSealKeys)
  const newest = await ask(sealsApi.getCheckpoint)
  const isSigned = (checkpoint: Checkpoint) =>
    verifyCheckpoint(checkpoint, keys.find(({ key_id }) => key_id === checkpoint.key_id)?.public_key ?? '')
  expect(await isSigned(newest), 'lost', `signature of the checkpoint of ${newest.size}`)

  const places: number[] = []
  for (const user of ledger.users) {
    const askIt = askAs(user)
    const captures = await askIt(capturesApi.listCaptures)
    places.push(...captures.flatMap(({ seq }) => seq ?? []))
    const found = new Map(captures.map(capture => [capture.id, capture]))
    expectOnce(
      captures.map(({ id }) => id),
      expect,
      id => `capture ${id} of ${user.email}`,
    )
    for (const { id, exists } of user.captures)
      if (id !== undefined)
        expect(exists.allows(found.get(id)?.state === 'sealed'), 'lost', `capture ${id} of ${user.email}`)
  }
  expectOnce(places.map(String), expect, seq => `place ${seq} of the log`)
  for (let seq = 0; seq < newest.size; seq++) expect(places.includes(seq), 'lost', `place ${seq} of the log`)

  for (const { id = '', text, sealed: answer, user } of sealed) {
    const askIt = askAs(user)
    const { seal, checkpoint } = answer
    const stored = await askIt(capturesApi.getCapture, { params: { id } })
    expect(JSON.stringify(stored.seal) === JSON.stringify(seal), 'lost', `seal ${seal.seq}`)
    const read = await askIt(capturesApi.getCaptureText, { params: { id } })
    expect(read.text === text, 'lost', `text of seal ${seal.seq}`)
    const inclusion = await ask(sealsApi.getInclusion, {
      params: { seq: seal.seq },
      query: { size: newest.size },
    })
    const leaf = await leafHash(seal)
    expect(
      await verifyInclusion(leaf, seal.seq, newest.size, inclusion.path, newest.root),
      'lost',
      `leaf ${seal.seq}`,
    )
    const consistency = await ask(sealsApi.getConsistency, {
      query: { from: checkpoint.size, to: newest.size },
    })
    expect(
      (await isSigned(checkpoint)) &&
        (await verifyConsistency(
          checkpoint.size,
          newest.size,
          checkpoint.root,
          newest.root,
          consistency.path,
        )),
      'lost',
      `checkpoint of ${checkpoint.size}`,
    )
  }
  await auditQuotes(sealed, ask, expect)
}

const auditQuotes = async (captures: readonly CaptureEntry[], ask: Ask, expect: Expect): Promise<void> => {
  for (const iod of new Set(captures.map(entry => entry.iod.id))) {
    const quotes = await ask(evidenceApi.listEvidence, { params: { id: iod } })
    const quoted = quotes.map(({ capture_id }) => capture_id ?? '')
    expectOnce(quoted, expect, id => `quote of ${id} for ${iod}`)
    for (const { id = '', quoted: register, iod: named } of captures)
      if (named.id === iod) expect(register.allows(quoted.includes(id)), 'lost', `quote of ${id} for ${iod}`)
  }
}
