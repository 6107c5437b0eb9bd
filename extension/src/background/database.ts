import type { Category, CollectedSource, Manifest, NewEvidence } from '@iodine/contracts'
import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import type { Outcome, Totals } from '../shared/messages'
import type { Captured } from '../sources'

/** The signed-in account. Web pages and content scripts have no access to the extension's IndexedDB. */
export interface Account {
  server: string
  userId: string
  name: string
  /** Absent once the session has ended; queued records then wait for the next sign-in. */
  token?: string
}

/** Returns the key of the account that a record belongs to. */
export const ownerOf = (account: Pick<Account, 'server' | 'userId'>): string =>
  `${account.server} ${account.userId}`

/** A record in the queue. */
export interface QueuedRecord extends Captured {
  seq?: number
  owner: string
  /** Owner, source and the record's natural key. */
  id: string
  /** Changes with the record's content, so that a response applies only to the content that was sent. */
  version: string
  digest: string
  state: 'waiting' | 'refused'
  reason?: string
}

/**
 * The state of a capture. `waiting`: to be sent; `full`: the server has no space for it now; `refused`: permanently
 * rejected, blobs deleted; `sealed`: complete, blobs deleted.
 */
export type CaptureState = 'waiting' | 'full' | 'refused' | 'sealed'

/** A capture in the queue, or the remainder of a completed one. Its blobs are in the `blobs` store. */
export interface StoredCapture {
  key?: number
  owner: string
  state: CaptureState
  /** The page's address, as in the manifest. */
  url: string
  /** Time of its creation, later of its state change (milliseconds of `Date.now()`). */
  at: number
  /** Absent once sealed or refused. */
  manifest?: Manifest
  /** Total size of its stored blobs. */
  bytes: number
  /** Why the server rejected it, for the user. */
  reason?: string
  /** The server's id, and the position in its log, once sealed. */
  id?: string
  seq?: number
}

/** The bytes of a blob of a waiting capture. */
export interface StoredBlob {
  capture: number
  sha256: string
  bytes: Uint8Array<ArrayBuffer>
}

/** A quote of a capture that becomes evidence of an IOD once the capture is sealed. */
export interface StoredQuote {
  key?: number
  owner: string
  /** Key of the capture. */
  capture: number
  /** The server's id of the capture, once it is sealed. */
  captureId?: string
  state: 'waiting' | 'refused'
  iod: { id: string; value: string; category: Category }
  place: Pick<NewEvidence, 'start' | 'end' | 'exact'>
  reason?: string
}

export interface Settings {
  account: Account
  server: string
  reading: boolean
  markedSites: string[]
  totals: Totals
  /** The failure of the last attempt to send records. */
  trouble: RetryState
  /** The failure of the last attempt to send captures and quotes. It does not delay records. */
  captureTrouble: RetryState
  /** Whether collected pages are also captured. */
  sealing: boolean
  /** Whether pictures of collected records are hashed for recognition. */
  looking: boolean
  /** The missing parts of the last capture, in sentences for the user. */
  leftOut: string
  /** Why the known IODs could not be downloaded. */
  overlayTrouble: string
}

/** A download of a server's IODs or campaigns. */
export interface Downloaded {
  server: string
  /** The ETag of the server's response. */
  etag: string
  /** Encoded rows or campaigns. */
  bytes: Uint8Array<ArrayBuffer>
  /** For IODs: the newest included revision, and the time of the last full download (milliseconds of `Date.now()`). */
  revision: number
  wholeAt: number
}

/** A failed attempt, and the time of the next (milliseconds of `Date.now()`). */
export interface RetryState {
  reason: string
  until: number
  attempts: number
}

interface Schema extends DBSchema {
  settings: { key: string; value: Settings[keyof Settings] }
  records: {
    key: number
    value: QueuedRecord
    indexes: { id: string; 'by-state': [owner: string, state: string] }
  }
  acknowledged: {
    key: string
    value: { id: string; digest: string; time: string; at: number }
    indexes: { at: number }
  }
  outcomes: { key: number; value: Outcome & { owner: string } }
  captures: {
    key: number
    value: StoredCapture
    indexes: {
      'by-state': [owner: string, state: string]
      'by-url': [owner: string, url: string]
      state: string
    }
  }
  blobs: { key: [capture: number, sha256: string]; value: StoredBlob }
  quotes: {
    key: number
    value: StoredQuote
    indexes: { 'by-state': [owner: string, state: string]; 'by-capture': number }
  }
  overlay: { key: 'iods' | 'campaigns'; value: Downloaded }
}

export type Database = IDBPDatabase<Schema>

export const openDatabase = (name = 'iodine'): Promise<Database> =>
  openDB<Schema>(name, 3, {
    upgrade(database, from) {
      if (from < 1) {
        database.createObjectStore('settings')
        const records = database.createObjectStore('records', { keyPath: 'seq', autoIncrement: true })
        records.createIndex('id', 'id', { unique: true })
        records.createIndex('by-state', ['owner', 'state'])
        database.createObjectStore('acknowledged', { keyPath: 'id' }).createIndex('at', 'at')
        database.createObjectStore('outcomes', { autoIncrement: true })
      }
      if (from < 2) {
        const captures = database.createObjectStore('captures', { keyPath: 'key', autoIncrement: true })
        captures.createIndex('by-state', ['owner', 'state'])
        captures.createIndex('by-url', ['owner', 'url'])
        captures.createIndex('state', 'state')
        database.createObjectStore('blobs', { keyPath: ['capture', 'sha256'] })
        const quotes = database.createObjectStore('quotes', { keyPath: 'key', autoIncrement: true })
        quotes.createIndex('by-state', ['owner', 'state'])
        quotes.createIndex('by-capture', 'capture')
      }
      if (from < 3) database.createObjectStore('overlay')
    },
  })

export const readSetting = <K extends keyof Settings>(
  database: Database,
  key: K,
): Promise<Settings[K] | undefined> => database.get('settings', key) as Promise<Settings[K] | undefined>

export const writeSetting = async <K extends keyof Settings>(
  database: Database,
  key: K,
  value: Settings[K] | undefined,
): Promise<void> => {
  if (value === undefined) await database.delete('settings', key)
  else await database.put('settings', value, key)
}

export const recordId = (owner: string, source: CollectedSource, naturalKey: string): string =>
  JSON.stringify([owner, source, naturalKey])

interface Trimmable {
  count(): Promise<number>
  openCursor(): Promise<{ delete(): Promise<void>; continue(): Promise<unknown> } | null>
}

/** Deletes the oldest entries beyond `max`. */
export const trim = async (store: Trimmable, max: number): Promise<void> => {
  let excess = (await store.count()) - max
  if (excess <= 0) return
  for (let cursor = await store.openCursor(); cursor && excess > 0; excess -= 1) {
    await cursor.delete()
    cursor = (await cursor.continue()) as typeof cursor
  }
}
