import type { Source } from '@iodine/contracts'
import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import type { Outcome, Totals } from '../shared/messages'
import type { Captured } from '../sources'

/** The signed-in account. Web pages and content scripts have no access to the extension's IndexedDB. */
export interface Account {
  server: string
  userId: string
  name: string
  /** Absent once the session has ended; captured records then wait for the next sign-in. */
  token?: string
}

/** The key of the account that a record belongs to. */
export const ownerOf = (account: Pick<Account, 'server' | 'userId'>): string =>
  `${account.server} ${account.userId}`

/** A record in the queue. */
export interface Waiting extends Captured {
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

export interface Settings {
  account: Account
  server: string
  reading: boolean
  markedSites: string[]
  totals: Totals
  trouble: { reason: string; until: number; attempts: number }
}

interface Schema extends DBSchema {
  settings: { key: string; value: Settings[keyof Settings] }
  records: {
    key: number
    value: Waiting
    indexes: { id: string; 'by-state': [owner: string, state: string] }
  }
  acknowledged: {
    key: string
    value: { id: string; digest: string; time: string; at: number }
    indexes: { at: number }
  }
  outcomes: { key: number; value: Outcome & { owner: string } }
}

export type Database = IDBPDatabase<Schema>

export const openDatabase = (name = 'iodine'): Promise<Database> =>
  openDB<Schema>(name, 1, {
    upgrade(database) {
      database.createObjectStore('settings')
      const records = database.createObjectStore('records', { keyPath: 'seq', autoIncrement: true })
      records.createIndex('id', 'id', { unique: true })
      records.createIndex('by-state', ['owner', 'state'])
      database.createObjectStore('acknowledged', { keyPath: 'id' }).createIndex('at', 'at')
      database.createObjectStore('outcomes', { autoIncrement: true })
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

export const recordId = (owner: string, source: Source, naturalKey: string): string =>
  JSON.stringify([owner, source, naturalKey])
