import type { Category, NewIod, Source } from '@iodine/contracts'
import type { Captured } from '../sources'

/** How many records were handed in with which result, since the extension was installed. */
export interface Totals {
  created: number
  updated: number
  unchanged: number
}

/** A record that the server will not take, with its reason. */
export interface Refusal {
  seq: number
  source: Source
  key: string
  reason: string
}

export interface Outcome {
  source: Source
  key: string
  result: keyof Totals
  /** ISO time. */
  at: string
}

export interface Status {
  server: string
  account: { name: string; ended: boolean } | null
  /** Marks known IODs on the sites where that was switched on. */
  reading: boolean
  waiting: number
  /** Records that wait for another account to sign in again. */
  waitingForOthers: number
  refused: Refusal[]
  totals: Totals
  recent: Outcome[]
  /** Why the last try to send failed, and when the next one is due (milliseconds of `Date.now()`). */
  trouble: { reason: string; until: number } | null
}

/** What the popup needs to know of the tab that it was opened over. */
export interface TabStatus {
  source: Source | undefined
  host: string
  /** Match pattern of the site, as permissions are asked for. */
  pattern: string
  keeping: boolean
  marking: boolean
}

export type Answer<T> = { ok: true; value: T } | { ok: false; error: string }

/** What the extension's own pages ask of the background, with the answer's type. */
export interface PageRequests {
  status: { input: object; value: Status }
  tab: { input: { tabId: number; url: string }; value: TabStatus }
  signIn: { input: { code: string }; value: null }
  signOut: { input: object; value: null }
  setServer: { input: { server: string }; value: null }
  setReading: { input: { on: boolean }; value: null }
  markSite: { input: { tabId: number; pattern: string; on: boolean }; value: null }
  collect: { input: { tabId: number; what: 'own' | 'all' }; value: { queued: number; invalid: string[] } }
  keep: { input: { tabId: number; on: boolean }; value: null }
  sendNow: { input: object; value: null }
  retryRefused: { input: object; value: null }
  discardRefused: { input: object; value: null }
  discardOthers: { input: object; value: null }
}

export interface KnownValue {
  id: string
  value: string
  category: Category
}

/** What the script in a web page asks of the background. */
export interface ContentRequests {
  hello: { input: object; value: { keeping: boolean; marking: boolean } }
  captured: { input: { captured: Captured[] }; value: null }
  lookup: { input: { values: string[] }; value: KnownValue[] }
  createIod: {
    input: { iod: Pick<NewIod, 'value' | 'category' | 'description'> }
    value: KnownValue
  }
}

/** What the background tells the script in a web page to do. */
export type Order =
  | { order: 'collect'; what: 'own' | 'all' }
  | { order: 'keep'; on: boolean }
  | { order: 'mark'; on: boolean }

type Requests = PageRequests & ContentRequests
export type RequestName = keyof Requests
export type InputOf<N extends RequestName> = Requests[N]['input']
export type ValueOf<N extends RequestName> = Requests[N]['value']

/** Asks the background; rejects with a message for people when it can't do it. */
export const ask = async <N extends RequestName>(name: N, input: InputOf<N>): Promise<ValueOf<N>> => {
  const answer: Answer<ValueOf<N>> = await chrome.runtime.sendMessage({ ...input, name })
  if (!answer.ok) throw new Error(answer.error)
  return answer.value
}
