import { type CampaignDetail, type ImportFormat, LIMITS, type NewIod } from '@iodine/contracts'
import type { Quotes } from '@iodine/exchange'
import { lookupBatches } from '@iodine/known-iods'
import { type ApiClient, hasStatus, useHost } from '@iodine/mfe-kit'
import { useCallback } from 'react'
import { useAdd } from './add'
import { useNotices } from './notices'

const CONFLICT = 409
/** The planned import of an entry of a file. `id` is the id of the existing IOD. */
export type Planned =
  | { state: 'new'; place: string; iod: NewIod; evidence?: Quotes }
  | { state: 'known' | 'member'; place: string; iod: NewIod; id: string; evidence?: Quotes }
  | { state: 'refused'; place: string; value: string; reason: string }

type Readable = Exclude<Planned, { state: 'refused' }>

export interface ImportPlan {
  entries: Planned[]
  /** The entries to add to the campaign. New ones are created first. */
  todo: Readable[]
  /** The entries with quotes: evidence is added to members of the campaign, too. */
  quoted: Readable[]
}

/** The format of a file that the server imports; null for one whose IODs are added from here. */
export const formatForServer = async (file: File): Promise<ImportFormat | null> => {
  const { serverFormat } = await import('@iodine/exchange')
  return serverFormat(await file.text())
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
  const quoted = entries.flatMap(entry =>
    entry.state !== 'refused' && entry.evidence?.quotes.length ? entry : [],
  )
  return { entries, todo, quoted }
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

/** What became of quotes: those left out do not say their IOD's value, or found no room. */
export interface ImportedEvidence {
  added: number
  known: number
  left_out: number
}

/** Adds the quotes of entries to their IODs, as evidence that nothing has checked. Rejects at the first failure. */
export async function importEvidence(
  api: ApiClient,
  quoted: ImportPlan['quoted'],
  idOf: (entry: Readable) => string,
): Promise<ImportedEvidence> {
  const sums = { added: 0, known: 0, left_out: 0 }
  for (const entry of quoted) {
    const quotes = entry.evidence?.quotes ?? []
    for (let at = 0; at < quotes.length; at += LIMITS.importedQuotesMax) {
      const body = { quotes: quotes.slice(at, at + LIMITS.importedQuotesMax) }
      const params = { id: idOf(entry) }
      const counts = await api.call('POST /iods/:id/evidence/import', { params, body })
      for (const name of ['added', 'known', 'left_out'] as const) sums[name] += counts[name]
    }
  }
  return sums
}

/** Imports files into a campaign: `plan` reads a file, `run` executes the plan. */
export function useImport(campaignId: string) {
  const { api } = useHost()
  const notices = useNotices()
  const { add } = useAdd(campaignId)
  const plan = useCallback(
    async (file: File): Promise<ImportPlan> => planImport(api, campaignId, await file.text()),
    [api, campaignId],
  )
  /** Resolves to whether all entries and their evidence were added. Stops at the first failure. */
  const run = useCallback(
    async ({ todo, quoted }: ImportPlan, onStep: (done: number) => void): Promise<boolean> => {
      const created = new Map<Readable, string>()
      const ensure = async (entry: Readable) => {
        const id = await ensureIod(api, entry)
        created.set(entry, id)
        return id
      }
      if (todo.length > 0 && (await add(todo, ensure, onStep)) < todo.length) return false
      if (quoted.length === 0) return true
      try {
        const idOf = (entry: Readable) => (entry.state === 'new' ? (created.get(entry) ?? '') : entry.id)
        notices.success(evidenceText(await importEvidence(api, quoted, idOf)))
        return true
      } catch (error) {
        notices.failure(error, 'Failed to import evidence')
        return false
      }
    },
    [api, add, notices],
  )
  return { plan, run }
}

const evidenceText = ({ added, known, left_out }: ImportedEvidence): string =>
  [
    `Evidence: ${added} quote(s) added as not verified`,
    known > 0 ? `${known} known` : [],
    left_out > 0 ? `${left_out} left out` : [],
  ]
    .flat()
    .join(', ')
