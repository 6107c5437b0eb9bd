import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, campaignsApi, importsApi } from '@iodine/contracts'
import { demoIods } from './iods.js'

type Call = Client['call']

/** An analyst's note on a campaign, whose sentences describe techniques. */
export const NOTE = {
  campaign: 'Same people, same plan',
  text: `Varnel Watch, Nightfall Files and Quell sans filtre pose as local news sites, but one server carries all three.
Varnel Watch cropped the picture of the tower, so that the mirrors seem to face the lake.
The memo about Project Nightfall is forged: it copies a manual for holiday lights.
Six fake accounts, bought by Captain Osk, posted the same manifesto word for word under the hashtag of the marathon.
Each story appeared on a channel of Telegram first, then as short clips on TikTok.`,
  /** Proposals that are accepted; the others stay undecided. */
  accepted: ['T0143.002', 'T0097.202', 'T0150.006', 'T0085.004'],
}

/** A file of an earlier release of DISARM, with a technique that is obsolete today. */
export const EARLIER = { campaign: 'Giant mirrors over Lake Varnel', technique: 'T0043' }

const POLL_MS = 200
const TIMEOUT_MS = 120_000

/** Waits until `look` returns another state than the given ones. @throws Error for `failed`, and after two minutes */
const settled = async (look: () => Promise<{ state: string }>, ...open: string[]): Promise<void> => {
  const end = Date.now() + TIMEOUT_MS
  for (;;) {
    const { state } = await look()
    if (state === 'failed' || Date.now() > end) throw new Error(`Techniques of the demo: ${state}`)
    if (!open.includes(state)) return
    await sleep(POLL_MS)
  }
}

/** Imports a campaign's file of an earlier release. */
const importEarlier = async (call: Call, campaign_id: string): Promise<void> => {
  const { story: _, ...iod } = demoIods[0] as (typeof demoIods)[number]
  const file = { campaign: { name: EARLIER.campaign, techniques: [EARLIER.technique] }, iods: [iod] }
  const body = new TextEncoder().encode(JSON.stringify(file))
  const { id } = await call(importsApi.createImport, { query: { campaign_id, format: 'json' }, body })
  const look = () => call(importsApi.getImport, { params: { id } })
  await settled(look, 'planning')
  await call(importsApi.applyImport, { params: { id }, body: {} })
  await settled(look, 'planned', 'applying')
}

/** Accepts techniques that the rules propose for a note, each with its sentence. */
const acceptProposals = async (call: Call, id: string): Promise<void> => {
  const { id: pid } = await call(campaignsApi.propose, { params: { id }, body: { text: NOTE.text } })
  await settled(() => call(campaignsApi.getProposals, { params: { id, pid } }), 'waiting')
  await call(campaignsApi.decideProposals, { params: { id, pid }, body: { accept: NOTE.accepted } })
}

/** Adds an obsolete technique and techniques with quotes to campaigns that have none. */
export const addTechniques = async (call: Call): Promise<void> => {
  const idOf = new Map((await call(campaignsApi.listCampaigns)).map(({ name, id }) => [name, id]))
  const mirrors = idOf.get(EARLIER.campaign)
  const joined = idOf.get(NOTE.campaign)
  const techniquesOf = (id: string) => call(campaignsApi.listTechniques, { params: { id } })
  if (mirrors && !(await techniquesOf(mirrors)).some(({ until }) => until !== null))
    await importEarlier(call, mirrors)
  if (joined && !(await techniquesOf(joined)).some(({ quotes }) => quotes > 0))
    await acceptProposals(call, joined)
}
