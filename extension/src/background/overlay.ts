import { ApiError, type Iod } from '@iodine/contracts'
import {
  createScanner,
  decodeCampaigns,
  decodeOverlay,
  type Hit,
  mergeRows,
  OverlayRows,
  overlayRow,
  type Scanner,
  withSign,
} from '@iodine/known-iods'
import { failureOf, failureSaying, sentenceOf } from '../shared/failures'
import type { KnownIod, KnownValue, OverlayState, Scanned } from '../shared/messages'
import { download, endpoints } from './api'
import { type Account, type Database, type Downloaded, readSetting, writeSetting } from './database'

/** All IODs are downloaded anew so often: of what a server did not tell, nothing stays. */
const WHOLE_MS = 24 * 60 * 60_000
/** What one answer says of a page; of more the longest values, as anybody can make IODs of words that are everywhere. */
const HITS_MAX = 5_000
const HITS_PER_TEXT = 200
const CAMPAIGNS_MAX = 5

/** All IODs of a server, of which values are found in texts without asking anybody. */
export interface Overlay {
  /** The known values of texts. None before the first download. */
  scan(texts: readonly string[]): Promise<Scanned>
  /** Downloads what has changed. Resolves to whether more is known; rejects with a message for the user. */
  refresh(): Promise<boolean>
  /** Adds an IOD that was just created. */
  learn(iod: KnownValue): Promise<void>
  /** Deletes all of it. */
  forget(): Promise<void>
  state(): Promise<OverlayState>
}

interface Known {
  server: string
  rows: OverlayRows
  scanner: Scanner
  campaigns: Map<string, { id: string; name: string }[]>
}

/** So many hits of the longest values, in their order. */
const longest = (hits: readonly Hit[], max: number): readonly Hit[] => {
  if (hits.length <= max) return hits
  const lengthOf = ({ start, end }: Hit) => end - start
  const least = hits.map(lengthOf).sort((a, b) => b - a)[max - 1] ?? 0
  let spare = max - hits.filter(hit => lengthOf(hit) > least).length
  return hits.filter(hit => lengthOf(hit) > least || (lengthOf(hit) === least && spare-- > 0))
}

const nothingOf = (server: string): Downloaded => ({
  server,
  etag: '',
  bytes: new Uint8Array(),
  revision: 0,
  wholeAt: 0,
})

export const createOverlay = (database: Database, requireAccount: () => Promise<Account>): Overlay => {
  let known: Promise<Known | undefined> | undefined
  let refreshing: Promise<boolean> | undefined

  const stored = async (name: 'iods' | 'campaigns', server: string): Promise<Downloaded | undefined> => {
    const found = await database.get('overlay', name)
    return found?.server === server ? found : undefined
  }

  const load = async (): Promise<Known | undefined> => {
    const server = (await readSetting(database, 'account'))?.server
    const iods = server === undefined ? undefined : await stored('iods', server)
    if (server === undefined || !iods) return undefined
    const rows = new OverlayRows(iods.bytes)
    const campaigns: Known['campaigns'] = new Map()
    const listed = await stored('campaigns', server)
    for (const { id, name, iod_ids } of listed ? await decodeCampaigns(listed.bytes) : [])
      for (const iod of iod_ids) {
        const own = campaigns.get(iod)
        if (own) own.push({ id, name })
        else campaigns.set(iod, [{ id, name }])
      }
    return { server, rows, scanner: createScanner(rows.count, n => rows.keyAt(n)), campaigns }
  }
  const read = () => {
    known ??= load().catch(error => {
      known = undefined
      throw error
    })
    return known
  }

  const entryOf = ({ rows, campaigns }: Known, row: number): KnownIod => {
    const { key: _, ...iod } = rows.entryAt(row)
    const own = campaigns.get(iod.id) ?? []
    return { ...iod, campaigns: own.slice(0, CAMPAIGNS_MAX), more: Math.max(0, own.length - CAMPAIGNS_MAX) }
  }

  const refreshIods = async (account: Account): Promise<boolean> => {
    const { server } = account
    const before = (await stored('iods', server)) ?? nothingOf(server)
    const isWhole = Date.now() - before.wholeAt > WHOLE_MS
    const query = { since: isWhole ? 0 : before.revision }
    const etag = isWhole ? undefined : before.etag
    const answer = await download(account, endpoints.iodOverlay, etag, { query })
    if (!answer) return false
    const { rows, since, revision } = await decodeOverlay(answer.bytes)
    const isSnapshot = since === 0
    const bytes = isSnapshot ? rows.slice() : mergeRows(before.bytes, rows)
    const wholeAt = isSnapshot ? Date.now() : before.wholeAt
    await database.put('overlay', { server, etag: answer.etag, bytes, revision, wholeAt }, 'iods')
    // The server makes a snapshot now and then; what has changed since is a small answer.
    if (isSnapshot && isWhole && revision > 0) await refreshIods(account)
    return true
  }

  const refreshCampaigns = async (account: Account): Promise<boolean> => {
    const { server } = account
    const before = await stored('campaigns', server)
    const answer = await download(account, endpoints.campaignOverlay, before?.etag)
    if (!answer) return false
    await decodeCampaigns(answer.bytes)
    await database.put('overlay', { ...nothingOf(server), ...answer }, 'campaigns')
    return true
  }

  const refresh = async (): Promise<boolean> => {
    const account = await requireAccount()
    try {
      const hasIods = await refreshIods(account)
      const hasCampaigns = await refreshCampaigns(account)
      if (hasIods || hasCampaigns) known = undefined
      await writeSetting(database, 'overlayTrouble', undefined)
      return hasIods || hasCampaigns
    } catch (error) {
      const reason = error instanceof RangeError ? sentenceOf('damaged') : failureOf(error).message
      await writeSetting(database, 'overlayTrouble', reason)
      throw error instanceof ApiError ? error : failureSaying(reason)
    }
  }

  return {
    async scan(texts) {
      const all = await read()
      const positions = new Map<number, number>()
      const iods: KnownIod[] = []
      const positionOf = (row: number): number => {
        const known = positions.get(row) ?? iods.push(entryOf(all as Known, row)) - 1
        positions.set(row, known)
        return known
      }
      const found = texts.map(text => (all ? longest(all.scanner.scan(text), HITS_PER_TEXT) : []))
      const kept = new Set(longest(found.flat(), HITS_MAX))
      const hits = found.map((of, n) =>
        of
          .filter(hit => kept.has(hit))
          .flatMap(({ start, end, key }) => {
            const position = positionOf(key)
            const isHashtag = iods[position]?.category === 'HASHTAGS'
            return [isHashtag ? withSign(texts[n] as string, start) : start, end, position]
          }),
      )
      return { iods, hits }
    },

    refresh() {
      refreshing ??= refresh().finally(() => {
        refreshing = undefined
      })
      return refreshing
    },

    async learn(iod) {
      await refreshing?.catch(() => {})
      const { server } = await requireAccount()
      const row = overlayRow({ ...iod, votes_for: 0, votes_against: 0 })
      const before = await stored('iods', server)
      if (!row || !before) return
      await database.put('overlay', { ...before, bytes: mergeRows(before.bytes, row) }, 'iods')
      known = undefined
    },

    async forget() {
      await refreshing?.catch(() => {})
      known = undefined
      await database.clear('overlay')
      await writeSetting(database, 'overlayTrouble', undefined)
    },

    async state() {
      const all = await read().catch(() => undefined)
      return {
        iods: all?.rows.count ?? null,
        trouble: (await readSetting(database, 'overlayTrouble')) ?? '',
      }
    },
  }
}

/** What is kept of an answer's IOD. */
export const knownValue = ({ id, value, category }: Iod): KnownValue => ({ id, value, category })
