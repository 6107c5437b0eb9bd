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
import { failureOf, failureWithMessage, sentenceOf } from '../shared/failures'
import type { KnownIod, KnownValue, OverlayState, Scanned } from '../shared/messages'
import { download, endpoints } from './api'
import { type Account, type Database, type Downloaded, readSetting, writeSetting } from './database'

/** Interval of full downloads: they remove IODs whose deletion the server did not report. */
const FULL_DOWNLOAD_MS = 24 * 60 * 60_000
/** Maximum hits in one response. The longest values win, since any user can create IODs of frequent words. */
const HITS_MAX = 5_000
const HITS_PER_TEXT = 200
const CAMPAIGNS_MAX = 5

interface LoadedOverlay {
  server: string
  rows: OverlayRows
  scanner: Scanner
  campaigns: Map<string, { id: string; name: string }[]>
}

/** Returns the `max` hits with the longest values, preserving their order. */
const longestHits = (hits: readonly Hit[], max: number): readonly Hit[] => {
  if (hits.length <= max) return hits
  const lengthOf = ({ start, end }: Hit) => end - start
  const least = hits.map(lengthOf).sort((a, b) => b - a)[max - 1] ?? 0
  let spare = max - hits.filter(hit => lengthOf(hit) > least).length
  return hits.filter(hit => lengthOf(hit) > least || (lengthOf(hit) === least && spare-- > 0))
}

const emptyDownload = (server: string): Downloaded => ({
  server,
  etag: '',
  bytes: new Uint8Array(),
  revision: 0,
  wholeAt: 0,
})

const entryOf = ({ rows, campaigns }: LoadedOverlay, row: number): KnownIod => {
  const { key: _, ...iod } = rows.entryAt(row)
  const own = campaigns.get(iod.id) ?? []
  return { ...iod, campaigns: own.slice(0, CAMPAIGNS_MAX), more: Math.max(0, own.length - CAMPAIGNS_MAX) }
}

/** The local copy of a server's IODs, for finding their values in texts without a request. */
export class Overlay {
  readonly #database: Database
  readonly #requireAccount: () => Promise<Account>
  #known: Promise<LoadedOverlay | undefined> | undefined
  #refreshing: Promise<boolean> | undefined

  constructor(database: Database, requireAccount: () => Promise<Account>) {
    this.#database = database
    this.#requireAccount = requireAccount
  }

  async #stored(name: 'iods' | 'campaigns', server: string): Promise<Downloaded | undefined> {
    const found = await this.#database.get('overlay', name)
    return found?.server === server ? found : undefined
  }

  async #load(): Promise<LoadedOverlay | undefined> {
    const server = (await readSetting(this.#database, 'account'))?.server
    const iods = server === undefined ? undefined : await this.#stored('iods', server)
    if (server === undefined || !iods) return undefined
    const rows = new OverlayRows(iods.bytes)
    const campaigns: LoadedOverlay['campaigns'] = new Map()
    const listed = await this.#stored('campaigns', server)
    for (const { id, name, iod_ids } of listed ? await decodeCampaigns(listed.bytes) : [])
      for (const iod of iod_ids) {
        const own = campaigns.get(iod)
        if (own) own.push({ id, name })
        else campaigns.set(iod, [{ id, name }])
      }
    return { server, rows, scanner: createScanner(rows.count, n => rows.keyAt(n)), campaigns }
  }

  #read(): Promise<LoadedOverlay | undefined> {
    this.#known ??= this.#load().catch(error => {
      this.#known = undefined
      throw error
    })
    return this.#known
  }

  async #refreshIods(account: Account): Promise<boolean> {
    const { server } = account
    const before = (await this.#stored('iods', server)) ?? emptyDownload(server)
    const isFull = Date.now() - before.wholeAt > FULL_DOWNLOAD_MS
    const query = { since: isFull ? 0 : before.revision }
    const etag = isFull ? undefined : before.etag
    const answer = await download(account, endpoints.iodOverlay, etag, { query })
    if (!answer) return false
    const { rows, since, revision } = await decodeOverlay(answer.bytes)
    const isSnapshot = since === 0
    const bytes = isSnapshot ? rows.slice() : mergeRows(before.bytes, rows)
    const wholeAt = isSnapshot ? Date.now() : before.wholeAt
    await this.#database.put('overlay', { server, etag: answer.etag, bytes, revision, wholeAt }, 'iods')
    // Snapshots are made periodically: a second request fetches the changes since then.
    if (isSnapshot && isFull && revision > 0) await this.#refreshIods(account)
    return true
  }

  async #refreshCampaigns(account: Account): Promise<boolean> {
    const { server } = account
    const before = await this.#stored('campaigns', server)
    const answer = await download(account, endpoints.campaignOverlay, before?.etag)
    if (!answer) return false
    await decodeCampaigns(answer.bytes)
    await this.#database.put('overlay', { ...emptyDownload(server), ...answer }, 'campaigns')
    return true
  }

  async #refreshAll(): Promise<boolean> {
    const account = await this.#requireAccount()
    try {
      const hasIods = await this.#refreshIods(account)
      const hasCampaigns = await this.#refreshCampaigns(account)
      if (hasIods || hasCampaigns) this.#known = undefined
      await writeSetting(this.#database, 'overlayTrouble', undefined)
      return hasIods || hasCampaigns
    } catch (error) {
      const reason = error instanceof RangeError ? sentenceOf('damaged') : failureOf(error).message
      await writeSetting(this.#database, 'overlayTrouble', reason)
      throw error instanceof ApiError ? error : failureWithMessage(reason)
    }
  }

  /** Finds the known values in texts. Finds none before the first download. */
  async scan(texts: readonly string[]): Promise<Scanned> {
    const all = await this.#read()
    const positions = new Map<number, number>()
    const iods: KnownIod[] = []
    const positionOf = (row: number): number => {
      const known = positions.get(row) ?? iods.push(entryOf(all as LoadedOverlay, row)) - 1
      positions.set(row, known)
      return known
    }
    const found = texts.map(text => (all ? longestHits(all.scanner.scan(text), HITS_PER_TEXT) : []))
    const kept = new Set(longestHits(found.flat(), HITS_MAX))
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
  }

  /** Downloads the changes. Resolves to whether there were any; rejects with a message for the user. */
  refresh(): Promise<boolean> {
    this.#refreshing ??= this.#refreshAll().finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  /** Adds an IOD that was just created. */
  async add(iod: KnownValue): Promise<void> {
    await this.#refreshing?.catch(() => {})
    const { server } = await this.#requireAccount()
    const row = overlayRow({ ...iod, votes_for: 0, votes_against: 0 })
    const before = await this.#stored('iods', server)
    if (!row || !before) return
    await this.#database.put('overlay', { ...before, bytes: mergeRows(before.bytes, row) }, 'iods')
    this.#known = undefined
  }

  /** Deletes the local copy. */
  async clear(): Promise<void> {
    await this.#refreshing?.catch(() => {})
    this.#known = undefined
    await this.#database.clear('overlay')
    await writeSetting(this.#database, 'overlayTrouble', undefined)
  }

  async state(): Promise<OverlayState> {
    const all = await this.#read().catch(() => undefined)
    return {
      iods: all?.rows.count ?? null,
      trouble: (await readSetting(this.#database, 'overlayTrouble')) ?? '',
    }
  }
}

/** Returns the fields of an IOD that the extension uses. */
export const knownValue = ({ id, value, category }: Iod): KnownValue => ({ id, value, category })
