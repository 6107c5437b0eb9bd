import type { Category, CollectedSource, NewEvidence, NewIod } from '@iodine/contracts'
import type { Captured } from '../sources'
import { Failure, failureOf, failureWithMessage } from './failures'

/** The number of sent records by result, since installation. */
export interface Totals {
  created: number
  updated: number
  unchanged: number
}

/** A record that the server refused, with the reason. */
export interface Refusal {
  seq: number
  source: CollectedSource
  key: string
  reason: string
}

export interface Outcome {
  source: CollectedSource
  key: string
  result: keyof Totals
  /** ISO time. */
  at: string
}

/** A picture of a page: its bytes in base64, or only its hash if it is large. */
export interface PictureParts {
  url: string
  /** Media type, as stated by its server. */
  type: string
  bytes: number
  sha256: string
  base64?: string
}

/** The parts of a page for a capture, as read by the content script. Messages are JSON. */
export interface PageParts {
  /** The page's URL when it was read. */
  url: string
  /** `captureDom` and `projectText` of the post or article. */
  dom: string
  text: string
  pictures: PictureParts[]
  /** Number of pictures that the page may not read. */
  unread: number
}

/** A record, with the part of the page that shows it, or why it has none. */
export interface Collected {
  captured: Captured
  page?: PageParts | { problem: string }
}

/** The state of the captures of an account. `waiting` includes those in progress. */
export interface CaptureSummary {
  waiting: number
  waitingForOthers: number
  /** Captures that the server had no space for. */
  full: { count: number; reason: string }
  /** Quotes that wait for their capture to be sealed. */
  quotes: number
  /** Captures and quotes that the server refused: the page's URL or the IOD's value, and the reason. */
  refused: { key: string; of: string; reason: string }[]
  /** The missing parts of the last capture, in sentences for the user. */
  leftOut: string
  /** Like `Status.trouble`. */
  trouble: { reason: string; until: number } | null
}

/** The newest capture of a page. */
export interface PageCapture {
  state: 'waiting' | 'full' | 'refused' | 'sealed'
  /** Position in the server's log, once sealed. */
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
  /** Whether collected pages are also captured. */
  sealing: boolean
  /** Whether pictures of collected records are hashed for recognition. */
  looking: boolean
  /** The last storage failure in this browser; empty if the last operation succeeded. */
  problem: string
  captures: CaptureSummary
  overlay: OverlayState
}

/** The state of the tab that the popup was opened for. */
export interface TabStatus {
  source: CollectedSource | undefined
  host: string
  /** The site's match pattern for permissions. */
  pattern: string
  keeping: boolean
  marking: boolean
  capture: PageCapture | null
  /** Why nothing can be collected here, for the user; empty if it can. */
  refusal: string
  /** Why Keep collecting ended without the user's action; else empty. */
  ended: string
}

/** The result of collecting a page. */
export interface CollectResult {
  queued: number
  /** Invalid fields of records, which are not queued. */
  invalid: string[]
  /** Why nothing was collected, for the user. */
  absence?: string
}

export type Answer<T> = { ok: true; value: T } | { ok: false; error: string }

/** Requests of the extension's own pages to the background, with the response's type. */
export interface PageRequests {
  status: { input: object; value: Status }
  tab: { input: { tabId: number; url: string }; value: TabStatus }
  signIn: { input: { code: string }; value: null }
  signOut: { input: object; value: null }
  setServer: { input: { server: string }; value: null }
  setReading: { input: { on: boolean }; value: null }
  /** Resolves to false if marking waits for the site's permission. */
  markSite: { input: { tabId: number; pattern: string; on: boolean }; value: boolean }
  setSealing: { input: { on: boolean }; value: null }
  setLooking: { input: { on: boolean }; value: null }
  /** The known IODs of a tab's page; empty if they are not marked. */
  found: { input: { tabId: number }; value: FoundOnPage[] }
  collect: { input: { tabId: number; what: 'own' | 'all' }; value: CollectResult }
  keep: { input: { tabId: number; on: boolean }; value: null }
  sendNow: { input: object; value: null }
  retryRefused: { input: object; value: null }
  discardRefused: { input: object; value: null }
  /** Captures that the server had no space for; `discardCaptures` also covers refused captures and quotes. */
  retryCaptures: { input: object; value: null }
  discardCaptures: { input: object; value: null }
  discardOthers: { input: object; value: null }
}

export interface KnownValue {
  id: string
  value: string
  category: Category
}

/** The local data of an IOD whose value is on a page. Votes saturate at 255. */
export interface KnownIod {
  id: string
  category: Category
  votes_for: number
  votes_against: number
  /** The votes weighted by their independence; undefined if unknown. */
  independent?: { for: number; against: number } | undefined
  campaigns: { id: string; name: string }[]
  /** Number of further campaigns. */
  more: number
}

/** The known values of texts. `hits`: for each text, a flat list of start, end (UTF-16) and index of the IOD. */
export interface Scanned {
  iods: KnownIod[]
  hits: number[][]
}

/** An IOD on a page, with the words of its first occurrence. */
export interface FoundOnPage extends KnownIod {
  text: string
  /** Number of occurrences. */
  places: number
}

/** The state of the local copy of all IODs. */
export interface OverlayState {
  /** Number of IODs; null before the first download. */
  iods: number | null
  /** Why the last download failed, for the user; else empty. */
  trouble: string
}

/** Selected words, located in the text of a page's parts. */
export interface QuotedPage {
  page: PageParts
  place: Pick<NewEvidence, 'start' | 'end' | 'exact'>
}

/** A created or existing IOD. `problem`: why it gets no evidence. */
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
  /** Answers the `collect` order with this ticket. */
  collected: { input: { ticket: string; collected: Collected[] }; value: null }
  /** Compares texts with the local copy of all IODs. */
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
  /** Compares the page again, after new IODs are known. */
  | { order: 'refresh' }
  /** Hides the overlay during a screenshot. */
  | { order: 'conceal'; on: boolean }
  | { order: 'found' }

type Requests = PageRequests & ContentRequests
export type RequestName = keyof Requests
export type InputOf<N extends RequestName> = Requests[N]['input']
export type ValueOf<N extends RequestName> = Requests[N]['value']

/** A page's response to an order: its URL; the known IODs on it, if requested; why the order failed, if it did. */
export interface PageReport {
  url: string
  found?: FoundOnPage[]
  failure?: string
}

/** Sends a request to the background; rejects with a message for the user. */
export const sendRequest = async <N extends RequestName>(name: N, input: InputOf<N>): Promise<ValueOf<N>> => {
  // `chrome.runtime` is undefined once the extension was updated or removed, hence the async function.
  const sent: Promise<Answer<ValueOf<N>> | undefined> = (async () =>
    chrome.runtime.sendMessage({ ...input, name }))()
  const answer = await sent.catch(error => {
    throw failureOf(error)
  })
  if (!answer) throw new Failure('interrupted')
  if (!answer.ok) throw failureWithMessage(answer.error)
  return answer.value
}
