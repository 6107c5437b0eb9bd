import type { Category, NewEvidence, NewIod, Source } from '@iodine/contracts'
import type { Captured } from '../sources'
import { Failure, failureOf, failureSaying } from './failures'

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

/** A picture of a page: its bytes in base64, or its hash alone if it is large. */
export interface PictureParts {
  url: string
  /** Media type, as its server says. */
  type: string
  bytes: number
  sha256: string
  base64?: string
}

/** What a capture holds of a page, as the script in it has read it. Messages are JSON. */
export interface PageParts {
  /** The page's address when it was read. */
  url: string
  /** `captureDom` and `projectText` of the post or article. */
  dom: string
  text: string
  pictures: PictureParts[]
  /** Number of pictures that the page may not read. */
  unread: number
}

/** A record, and the part of the page that shows it, or why there is none. */
export interface Collected {
  captured: Captured
  page?: PageParts | { problem: string }
}

/** The state of the captures of an account. `waiting`: also those that are being made. */
export interface CaptureSummary {
  waiting: number
  waitingForOthers: number
  /** Captures that the server had no room for. */
  full: { count: number; reason: string }
  /** Quotes that wait for their capture to be sealed. */
  quotes: number
  /** Captures and quotes that the server refused: the page's address or the IOD's value, and why. */
  refused: { key: string; of: string; reason: string }[]
  /** What is missing of the capture of the page that was collected last, in sentences. */
  leftOut: string
  /** Like that of records. */
  trouble: { reason: string; until: number } | null
}

/** The newest capture of a page. */
export interface PageCapture {
  state: 'waiting' | 'full' | 'refused' | 'sealed'
  /** Place in the server's log, once sealed. */
  seq: number | null
  reason: string
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
  /** Whether what is collected is captured, too. */
  sealing: boolean
  /** Whether pictures of what is collected are read, to find them again. */
  looking: boolean
  /** Why what was collected could not be kept in this browser the last time; empty if it could. */
  problem: string
  captures: CaptureSummary
  overlay: OverlayState
}

/** The state of the tab that the popup was opened for. */
export interface TabStatus {
  source: Source | undefined
  host: string
  /** The site's match pattern for permissions. */
  pattern: string
  keeping: boolean
  marking: boolean
  capture: PageCapture | null
  /** Why nothing can be collected here, for the user; empty if it can. */
  refusal: string
  /** Why it does not keep collecting any more; empty if it was switched off, or is on. */
  ended: string
}

/** What was collected of a page. */
export interface CollectResult {
  queued: number
  /** Fields of records that are none by the contract: these are not queued. */
  invalid: string[]
  /** Why nothing was collected, for the user. */
  absence?: string
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
  setSealing: { input: { on: boolean }; value: null }
  setLooking: { input: { on: boolean }; value: null }
  /** The known IODs of a tab's page; none where they are not marked. */
  found: { input: { tabId: number }; value: FoundOnPage[] }
  collect: { input: { tabId: number; what: 'own' | 'all' }; value: CollectResult }
  keep: { input: { tabId: number; on: boolean }; value: null }
  sendNow: { input: object; value: null }
  retryRefused: { input: object; value: null }
  discardRefused: { input: object; value: null }
  /** The same of captures and quotes: those that the server had no room for, and those that it refused, too. */
  retryCaptures: { input: object; value: null }
  discardCaptures: { input: object; value: null }
  discardOthers: { input: object; value: null }
}

export interface KnownValue {
  id: string
  value: string
  category: Category
}

/** What the browser knows of an IOD whose value is on a page. Votes saturate at 255. */
export interface KnownIod {
  id: string
  category: Category
  votes_for: number
  votes_against: number
  /** The votes weighed by their independence; undefined if that is not known. */
  independent?: { for: number; against: number } | undefined
  campaigns: { id: string; name: string }[]
  /** Number of further campaigns. */
  more: number
}

/**
 * The known values of texts: for each text start, end (UTF-16) and number of the IOD, of one value behind the other.
 */
export interface Scanned {
  iods: KnownIod[]
  hits: number[][]
}

/** An IOD that is on a page, in the words of its first place there. */
export interface FoundOnPage extends KnownIod {
  text: string
  /** Number of places. */
  places: number
}

/** What the browser has of all IODs. */
export interface OverlayState {
  /** Number of IODs; null before the first download. */
  iods: number | null
  /** Why the last download failed, for the user; empty if it did not. */
  trouble: string
}

/** The selected words in the text of a page's parts. */
export interface QuotedPage {
  page: PageParts
  place: Pick<NewEvidence, 'start' | 'end' | 'exact'>
}

/** An IOD that was created, or that exists already. `problem`: why it gets no evidence. */
export interface CreatedIod {
  iod: KnownValue
  isNew: boolean
  problem?: string
}

/** Requests of the script in a web page to the background. */
export interface ContentRequests {
  hello: { input: object; value: { keeping: boolean; marking: boolean; sealing: boolean } }
  /** From a page that keeps collecting. */
  captured: { input: { captured: Captured[] }; value: null }
  /** Answers the order to collect that has this ticket. */
  collected: { input: { ticket: string; collected: Collected[] }; value: null }
  /** Compares texts with all IODs, here in the browser. */
  scan: { input: { texts: string[] }; value: Scanned }
  /** Opens the page of an IOD or a campaign in the app. */
  openApp: { input: { path: string }; value: null }
  createIod: {
    input: { iod: Pick<NewIod, 'value' | 'category' | 'description'>; quoted?: QuotedPage | undefined }
    value: CreatedIod
  }
  /** Quotes the page for an IOD that exists already. */
  quoteIod: { input: { iod: Pick<NewIod, 'value' | 'category'>; quoted: QuotedPage }; value: CreatedIod }
}

/** Orders of the background to the script in a web page. */
export type Order =
  | { order: 'collect'; what: 'own' | 'all'; ticket: string; sealing: boolean }
  | { order: 'keep'; on: boolean }
  | { order: 'mark'; on: boolean }
  /** More IODs are known. */
  | { order: 'refresh' }
  /** Hides what is drawn over the page while its picture is taken. */
  | { order: 'conceal'; on: boolean }
  | { order: 'found' }

type Requests = PageRequests & ContentRequests
export type RequestName = keyof Requests
export type InputOf<N extends RequestName> = Requests[N]['input']
export type ValueOf<N extends RequestName> = Requests[N]['value']

/**
 * A page's answer to an order: its address; the known IODs that are on it, if they were asked for; why the order failed,
 * if it did.
 */
export interface PageReport {
  url: string
  found?: FoundOnPage[]
  failure?: string
}

/** Sends a request to the background; rejects with a message for the user. */
export const ask = async <N extends RequestName>(name: N, input: InputOf<N>): Promise<ValueOf<N>> => {
  // Of a script whose extension has been updated or removed, `chrome.runtime` is not there any more.
  const sent: Promise<Answer<ValueOf<N>> | undefined> = (async () =>
    chrome.runtime.sendMessage({ ...input, name }))()
  const answer = await sent.catch(error => {
    throw failureOf(error)
  })
  if (!answer) throw new Failure('interrupted')
  if (!answer.ok) throw failureSaying(answer.error)
  return answer.value
}
