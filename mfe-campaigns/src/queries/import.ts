import { type CampaignDetail, LIMITS, type NewIod } from '@iodine/contracts'
import { type ApiClient, hasStatus, useHost } from '@iodine/mfe-kit'
import { useCallback } from 'react'
import { useAdd } from './add'

const CONFLICT = 409
/** Characters of values asked for at once: well within a body's size, whatever JSON escapes. */
const LOOKUP_CHARS = 100_000

/** What becomes of an entry of a file. `id`: the IOD that it is already. */
export type Planned =
  | { state: 'new'; place: string; iod: NewIod }
  | { state: 'known' | 'member'; place: string; iod: NewIod; id: string }
  | { state: 'refused'; place: string; value: string; reason: string }

export interface ImportPlan {
  entries: Planned[]
  /** Those that will be added to the campaign, created first where they are new. */
  todo: Exclude<Planned, { state: 'refused' }>[]
}

/**
 * Reads a file's text and says what importing it into the campaign would do, as IODs and campaign are by now. Throws
 * an `UnreadableFile` with a message for the user when it holds no IODs.
 */
export async function planImport(api: ApiClient, campaignId: string, text: string): Promise<ImportPlan> {
  const { iodKey, readIods } = await import('@iodine/exchange')
  const read = readIods(text)
  const campaign: CampaignDetail = await api.call('GET /campaigns/:id', { params: { id: campaignId } })
  const ids = new Map<string, string>()
  for (const values of batches(read.flatMap(({ iod }) => iod?.value ?? [])))
    for (const known of await api.call('POST /iods/lookup', { body: { values } }))
      ids.set(iodKey(known), known.id)
  const members = new Set(campaign.iods.map(({ id }) => id))
  const entries = read.map((entry): Planned => {
    if (!entry.iod) return { state: 'refused', ...entry }
    const id = ids.get(iodKey(entry.iod))
    if (!id) return { state: 'new', ...entry }
    return { state: members.has(id) ? 'member' : 'known', ...entry, id }
  })
  const todo = entries.flatMap(entry => (entry.state === 'new' || entry.state === 'known' ? entry : []))
  return { entries, todo }
}

function batches(values: string[]): string[][] {
  const all: string[][] = []
  let size = 0
  for (const value of values) {
    const last = all.at(-1)
    size += value.length
    if (last && size < LOOKUP_CHARS && last.length < LIMITS.lookupValuesMax) last.push(value)
    else {
      all.push([value])
      size = value.length
    }
  }
  return all
}

/** The id of an entry's IOD, which is created where it is new. */
export async function ensureIod(api: ApiClient, entry: ImportPlan['todo'][number]): Promise<string> {
  if (entry.state !== 'new') return entry.id
  const { iod } = entry
  try {
    return (await api.call('POST /iods', { body: iod })).id
  } catch (error) {
    if (!hasStatus(error, CONFLICT)) throw error
    // Somebody has created it since the preview.
    const { iodKey } = await import('@iodine/exchange')
    const found = await api.call('POST /iods/lookup', { body: { values: [iod.value] } })
    const same = found.find(each => iodKey(each) === iodKey(iod))
    if (!same) throw error
    return same.id
  }
}

/** Importing files into a campaign: a plan first, then what it says. */
export function useImport(campaignId: string) {
  const { api } = useHost()
  const add = useAdd(campaignId)
  const plan = useCallback(
    async (file: File): Promise<ImportPlan> => planImport(api, campaignId, await file.text()),
    [api, campaignId],
  )
  /** Answers whether all is in; at the first failure the rest is left. */
  const run = useCallback(
    async ({ todo }: ImportPlan, onStep: (done: number) => void): Promise<boolean> =>
      (await add(todo, entry => ensureIod(api, entry), onStep)) === todo.length,
    [api, add],
  )
  return { plan, run }
}
