import {
  campaignsApi,
  collectorApi,
  communityApi,
  type EndpointSpec,
  foldLabel,
  graphApi,
  type Iod,
  iodsApi,
  type Narrative,
  narrativesApi,
  profileApi,
  type ResponseOf,
} from '@iodine/contracts'
import type { Mail } from '@iodine/test-kit'
import type { Client, Input } from './client.js'
import type { Ledger, UserEntry } from './ledger.js'

export interface Audit {
  /** Acknowledged, and not there as acknowledged. */
  lost: string[]
  /** There more than once, or where it must not be. */
  doubled: string[]
  /** Acknowledged things looked for. */
  checked: number
  /** Mails that the server took twice, with the same Message-ID. */
  repeatedMails: number
}

/** How often each of the texts comes. */
const tally = (texts: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}

/** Compares all that the product holds with the ledger, over its API; every part must be up, and no work under way. */
export const audit = async (client: Client, ledger: Ledger, mails: readonly Mail[]): Promise<Audit> => {
  const result: Audit = { lost: [], doubled: [], checked: 0, repeatedMails: 0 }
  const expect = (isSo: boolean, kind: 'lost' | 'doubled', what: string) => {
    result.checked++
    if (!isSo) result[kind].push(what)
  }
  const reader = ledger.users[0] as UserEntry
  const ask = async <E extends EndpointSpec>(
    endpoint: E,
    input: Input<E>,
    { token }: UserEntry = reader,
  ): Promise<ResponseOf<E>> => {
    const outcome = await client.call<E>(endpoint, Object.assign({}, input, { token, ms: 60_000 }))
    if (outcome.kind !== 'done')
      throw new Error(`audit: ${endpoint.path} answered ${outcome.status} ${outcome.detail}`)
    return outcome.body
  }

  const iods: Iod[] = await ask(iodsApi.listIods, {})
  auditIods(iods, ledger, expect)
  const narrativesOf = new Map<string, Narrative[]>()
  const names = new Map<string, string | null>()
  for (const user of ledger.users) {
    const profile = await ask(profileApi.getProfile, {}, user)
    expect(
      user.username.allows(profile.username ?? ''),
      'lost',
      `name ${user.username.known} of ${user.email}`,
    )
    names.set(user.id, profile.username)
    expect(profile.email === user.email, 'lost', `account ${user.email}`)
    await auditRecords(user, ask, expect)
    await auditCampaigns(user, ask, expect)
    narrativesOf.set(user.id, await auditNarratives(user, ask, expect))
    await auditGraph(user, narrativesOf.get(user.id) ?? [], ask, expect)
  }
  await auditCommunity(ledger, iods, { narrativesOf, names }, ask, expect)

  const copies = tally(mails.map(({ messageId }) => messageId))
  result.repeatedMails = mails.length - copies.size
  const distinct = [...new Map(mails.map(mail => [mail.messageId, mail])).values()]
  const mailsTo = tally(distinct.flatMap(({ to }) => to))
  for (const [email, { acknowledged, unknown }] of ledger.mails) {
    const sent = mailsTo.get(email) ?? 0
    expect(sent >= acknowledged, 'lost', `mail to ${email}: ${sent} of ${acknowledged}`)
    expect(sent <= acknowledged + unknown, 'doubled', `mail to ${email}: ${sent} of ${acknowledged}`)
  }
  return result
}

type Expect = (isSo: boolean, kind: 'lost' | 'doubled', what: string) => void
type Ask = <E extends EndpointSpec>(endpoint: E, input: Input<E>, user?: UserEntry) => Promise<ResponseOf<E>>

const auditIods = (iods: readonly Iod[], ledger: Ledger, expect: Expect): void => {
  for (const [value, count] of tally(iods.map(iod => iod.value)))
    expect(count === 1, 'doubled', `IOD ${value}: ${count} times`)
  const byValue = new Map(iods.map(iod => [iod.value, iod]))
  for (const entry of ledger.iods) {
    const iod = byValue.get(entry.value)
    expect(entry.exists.allows(iod !== undefined), 'lost', `IOD ${entry.value}`)
    if (!iod) continue
    expect(iod.created_by_id === entry.creator, 'lost', `creator of ${entry.value}`)
    const voters = tally(iod.votes.map(vote => vote.user_id ?? ''))
    for (const [user, count] of voters)
      expect(count === 1 && entry.votes.has(user), 'doubled', `votes of ${user} on ${entry.value}: ${count}`)
    for (const [user, vote] of entry.votes) {
      const found = iod.votes.find(each => each.user_id === user)?.vote_type ?? null
      expect(vote.allows(found), 'lost', `vote of ${user} on ${entry.value}: ${found}`)
    }
  }
}

const auditRecords = async (user: UserEntry, ask: Ask, expect: Expect): Promise<void> => {
  const records = await ask(collectorApi.listRecords, { params: { source: 'tiktok' } }, user)
  const found = new Map<string, { time: string; text: string }>()
  for (const record of records) {
    if (!('main' in record)) continue
    const { video_id, description } = record.main
    expect(!found.has(video_id), 'doubled', `record ${video_id}`)
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
  expect(found.size === 0, 'doubled', `${found.size} records that nobody sent`)
}

const auditCampaigns = async (user: UserEntry, ask: Ask, expect: Expect): Promise<void> => {
  const campaigns = await ask(campaignsApi.listMyCampaigns, {}, user)
  const left = new Map(campaigns.map(campaign => [campaign.id, campaign]))
  for (const entry of user.campaigns) {
    // One whose creation nobody answered is known by its name alone.
    const campaign = entry.id
      ? left.get(entry.id)
      : [...left.values()].find(({ name }) => entry.name.allows(name))
    expect(entry.exists.allows(campaign !== undefined), 'lost', `campaign ${entry.name.known}`)
    if (!campaign) continue
    left.delete(campaign.id)
    expect(entry.name.allows(campaign.name), 'lost', `name ${entry.name.known}, found ${campaign.name}`)
    const detail = await ask(campaignsApi.getCampaign, { params: { id: campaign.id } }, user)
    const members = tally(detail.iods.map(({ id }) => id))
    expect(detail.iod_count === detail.iods.length, 'doubled', `count of ${campaign.name}`)
    for (const [id, count] of members)
      expect(count === 1 && entry.members.has(id), 'doubled', `${id} in ${campaign.name}: ${count} times`)
    for (const [id, member] of entry.members)
      expect(member.allows(members.has(id)), 'lost', `${id} in ${campaign.name}: ${member.known}`)
  }
  for (const { name } of left.values()) expect(false, 'doubled', `campaign ${name}`)
}

const auditNarratives = async (user: UserEntry, ask: Ask, expect: Expect): Promise<Narrative[]> => {
  const narratives = await ask(narrativesApi.listNarratives, {}, user)
  for (const [src, count] of tally(narratives.map(narrative => narrative.src ?? '')))
    expect(count === 1, 'doubled', `narrative ${src}: ${count} times`)
  const ids = narratives.flatMap(({ triplets }) => triplets.map(({ id }) => String(id)))
  expect(new Set(ids).size === ids.length, 'doubled', `triplet ids of ${user.email}`)
  const bySrc = new Map(narratives.map(narrative => [narrative.src, narrative]))
  for (const entry of user.narratives) {
    const narrative = bySrc.get(entry.src)
    expect(entry.exists.allows(narrative !== undefined), 'lost', `narrative ${entry.src}`)
    if (!narrative) continue
    const plain = narrative.triplets.map(({ subject, verb, object }) => ({ subject, verb, object }))
    expect(
      JSON.stringify(plain) === JSON.stringify(entry.triplets),
      plain.length > entry.triplets.length ? 'doubled' : 'lost',
      `triplets of ${entry.src}`,
    )
  }
  return narratives
}

/** The graph, against a count from scratch. */
const auditGraph = async (
  user: UserEntry,
  narratives: readonly Narrative[],
  ask: Ask,
  expect: Expect,
): Promise<void> => {
  const graph = await ask(graphApi.getTriplets, {}, user)
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
    expect(count <= (counted.get(link) ?? 0), 'doubled', `graph of ${user.email}: ${link} ${count}`)
}

/** The community's projection, against what the services hold. */
const auditCommunity = async (
  ledger: Ledger,
  iods: readonly Iod[],
  { narrativesOf, names }: { narrativesOf: Map<string, Narrative[]>; names: Map<string, string | null> },
  ask: Ask,
  expect: Expect,
): Promise<void> => {
  for (const user of ledger.users) {
    // A profile is public once it has a name.
    if (names.get(user.id) === null) continue
    const ids: string[] = []
    for (let skip = 0; ; skip += 100) {
      const { username, all_contributions, total_iods, total_narratives } = await ask(communityApi.getUser, {
        params: { id: user.id },
        query: { skip: String(skip), limit: '100' },
      })
      ids.push(...all_contributions.map(({ id }) => id))
      if (all_contributions.length === 100) continue
      expect(username === names.get(user.id), 'lost', `public name ${names.get(user.id)}: ${username}`)
      expect(total_iods + total_narratives === ids.length, 'doubled', `contributions of ${user.email}`)
      break
    }
    const owned = [
      ...iods.filter(iod => iod.created_by_id === user.id),
      ...(narrativesOf.get(user.id) ?? []),
    ].map(({ id }) => id)
    const shown = tally(ids)
    for (const id of owned) expect(shown.has(id), 'lost', `contribution ${id} of ${user.email}`)
    const ownedIds = new Set(owned)
    for (const [id, count] of shown)
      expect(count === 1 && ownedIds.has(id), 'doubled', `contribution ${id} of ${user.email}: ${count}`)
  }
}
