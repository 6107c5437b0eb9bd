import { type CampaignDetail, LIMITS, type NewIod } from '@iodine/contracts'
import { hasStatus, useHost } from '@iodine/mfe-kit'
import { useCallback } from 'react'
import { useCampaignCache } from './campaigns'
import { useNotices } from './notices'

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

/** Reads a file and says what importing it would do. Throws with a message for the user when it holds no IODs. */
export function usePlanImport(campaign: CampaignDetail) {
  const { api } = useHost()
  return useCallback(
    async (file: File): Promise<ImportPlan> => {
      const { iodKey, readIods } = await import('@iodine/exchange')
      const read = readIods(await file.text())
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
    },
    [api, campaign.iods],
  )
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

/**
 * Creates what is new and adds it to the campaign, one IOD after the other. Answers whether all is in: at the first
 * failure the rest is left, and importing the file again goes on from there.
 */
export function useImport(campaignId: string) {
  const { api } = useHost()
  const cache = useCampaignCache()
  const notices = useNotices()
  return useCallback(
    async ({ todo }: ImportPlan, onStep: (done: number) => void): Promise<boolean> => {
      const { iodKey } = await import('@iodine/exchange')
      const create = async (iod: NewIod): Promise<string> => {
        try {
          return (await api.call('POST /iods', { body: iod })).id
        } catch (error) {
          if (!hasStatus(error, CONFLICT)) throw error
          // Somebody has created it since the preview.
          const found = await api.call('POST /iods/lookup', { body: { values: [iod.value] } })
          const same = found.find(each => iodKey(each) === iodKey(iod))
          if (!same) throw error
          return same.id
        }
      }
      let done = 0
      let latest: CampaignDetail | undefined
      try {
        for (const entry of todo) {
          const iod_id = entry.state === 'new' ? await create(entry.iod) : entry.id
          latest = await api.call('POST /campaigns/:id/add-iod', {
            params: { id: campaignId },
            body: { iod_id },
          })
          onStep(++done)
        }
        notices.success(`Added ${done} IOD(s) to the campaign`)
      } catch (error) {
        notices.failure(error, 'Failed to add IODs')
      }
      if (latest) cache.changed(latest)
      return done === todo.length
    },
    [api, cache, campaignId, notices],
  )
}
