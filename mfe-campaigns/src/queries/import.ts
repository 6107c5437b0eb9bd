import type { CampaignDetail, NewIod } from '@iodine/contracts'
import { lookupBatches } from '@iodine/known-iods'
import { type ApiClient, hasStatus, useHost } from '@iodine/mfe-kit'
import { useCallback } from 'react'
import { useAdd } from './add'

const CONFLICT = 409
/** The planned import of an entry of a file. `id` is the id of the existing IOD. */
export type Planned =
  | { state: 'new'; place: string; iod: NewIod }
  | { state: 'known' | 'member'; place: string; iod: NewIod; id: string }
  | { state: 'refused'; place: string; value: string; reason: string }

export interface ImportPlan {
  entries: Planned[]
  /** The entries to add to the campaign. New ones are created first. */
  todo: Exclude<Planned, { state: 'refused' }>[]
}

/**
 * Plans the import of a file's text into a campaign, from the current IODs and campaign. Throws an
 * `UnreadableFile` with a message for the user if the file contains no IODs.
 */
export async function planImport(api: ApiClient, campaignId: string, text: string): Promise<ImportPlan> {
  const { iodKey, readIods } = await import('@iodine/exchange')
  const read = readIods(text)
  const campaign: CampaignDetail = await api.call('GET /campaigns/:id', { params: { id: campaignId } })
  const ids = new Map<string, string>()
  for (const values of lookupBatches(read.flatMap(({ iod }) => iod?.value ?? [])))
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

/** The id of an entry's IOD. A new IOD is created. */
export async function ensureIod(api: ApiClient, entry: ImportPlan['todo'][number]): Promise<string> {
  if (entry.state !== 'new') return entry.id
  const { iod } = entry
  try {
    return (await api.call('POST /iods', { body: iod })).id
  } catch (error) {
    if (!hasStatus(error, CONFLICT)) throw error
    // Another user has created it since the preview.
    const { iodKey } = await import('@iodine/exchange')
    const found = await api.call('POST /iods/lookup', { body: { values: [iod.value] } })
    const same = found.find(each => iodKey(each) === iodKey(iod))
    if (!same) throw error
    return same.id
  }
}

/** Imports files into a campaign: `plan` reads a file, `run` executes the plan. */
export function useImport(campaignId: string) {
  const { api } = useHost()
  const { add } = useAdd(campaignId)
  const plan = useCallback(
    async (file: File): Promise<ImportPlan> => planImport(api, campaignId, await file.text()),
    [api, campaignId],
  )
  /** Resolves to whether all entries were added. Stops at the first failure. */
  const run = useCallback(
    async ({ todo }: ImportPlan, onStep: (done: number) => void): Promise<boolean> =>
      (await add(todo, entry => ensureIod(api, entry), onStep)) === todo.length,
    [api, add],
  )
  return { plan, run }
}
