import type { Category, NewIod, Source } from '@iodine/contracts'
import type { Captured } from '../sources'

/** The number of sent records by result, since installation. */
export interface Totals {
  created: number
  updated: number
  unchanged: number
}

/** A record that the server refused, with the reason. */
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
  /** Whether known IODs are marked on the chosen sites. */
  reading: boolean
  waiting: number
  /** The number of queued records of other accounts, which wait for their sign-in. */
  waitingForOthers: number
  refused: Refusal[]
  totals: Totals
  recent: Outcome[]
  /** The failure of the last attempt to send, and the time of the retry (milliseconds of `Date.now()`). */
  trouble: { reason: string; until: number } | null
}

/** The state of the tab that the popup was opened for. */
export interface TabStatus {
  source: Source | undefined
  host: string
  /** The site's match pattern for permissions. */
  pattern: string
  keeping: boolean
  marking: boolean
}

export type Answer<T> = { ok: true; value: T } | { ok: false; error: string }

/** Requests of the extension's own pages to the background, with the answer's type. */
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

/** Requests of the script in a web page to the background. */
export interface ContentRequests {
  hello: { input: object; value: { keeping: boolean; marking: boolean } }
  captured: { input: { captured: Captured[] }; value: null }
  lookup: { input: { values: string[] }; value: KnownValue[] }
  createIod: {
    input: { iod: Pick<NewIod, 'value' | 'category' | 'description'> }
    value: KnownValue
  }
}

/** Orders of the background to the script in a web page. */
export type Order =
  | { order: 'collect'; what: 'own' | 'all' }
  | { order: 'keep'; on: boolean }
  | { order: 'mark'; on: boolean }

type Requests = PageRequests & ContentRequests
export type RequestName = keyof Requests
export type InputOf<N extends RequestName> = Requests[N]['input']
export type ValueOf<N extends RequestName> = Requests[N]['value']

/** Sends a request to the background; rejects with a message for the user. */
export const ask = async <N extends RequestName>(name: N, input: InputOf<N>): Promise<ValueOf<N>> => {
  const answer: Answer<ValueOf<N>> = await chrome.runtime.sendMessage({ ...input, name })
  if (!answer.ok) throw new Error(answer.error)
  return answer.value
}
