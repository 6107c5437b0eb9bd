import { foldValue, LIMITS, matchKey, matchKeys } from '@iodine/contracts'
import type { KnownValue } from '../shared/messages'

const KEPT_MS = 5 * 60_000
const VALUES_MAX = 50_000

/** Looks values up with a cache of five minutes. `learn` adds an IOD that was just created. */
export interface Lookups {
  find(values: readonly string[]): Promise<KnownValue[]>
  learn(iod: KnownValue): void
  forget(): void
}

export const createLookups = (send: (values: string[]) => Promise<KnownValue[]>): Lookups => {
  /** The IODs of each `matchKey` that was asked for. */
  const kept = new Map<string, { iods: KnownValue[]; until: number }>()
  const isKept = (value: string) => matchKeys(value).every(key => (kept.get(key)?.until ?? 0) > Date.now())

  return {
    async find(values) {
      const wanted = [...new Set(values.map(foldValue))].filter(Boolean)
      const missing = wanted.filter(value => !isKept(value))
      for (let start = 0; start < missing.length; start += LIMITS.lookupValuesMax) {
        const batch = missing.slice(start, start + LIMITS.lookupValuesMax)
        const found = await send(batch)
        if (kept.size + batch.length > VALUES_MAX) kept.clear()
        for (const key of batch.flatMap(matchKeys)) kept.set(key, { iods: [], until: Date.now() + KEPT_MS })
        for (const iod of found) kept.get(matchKey(iod))?.iods.push(iod)
      }
      return [...new Set(wanted.flatMap(matchKeys))].flatMap(key => kept.get(key)?.iods ?? [])
    },
    learn(iod) {
      const key = matchKey(iod)
      const iods = [...(kept.get(key)?.iods ?? []), iod]
      kept.set(key, { iods, until: Date.now() + KEPT_MS })
    },
    forget: () => kept.clear(),
  }
}
