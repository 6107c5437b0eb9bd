import { ApiError } from '@iodine/contracts'

/**
 * Every failure that a person can meet, by kind: one sentence that says what to do, without a full stop. `{name}` stands
 * for a value. Sentences that begin in lower case follow “The last page has no capture:” or “Not sealed:”.
 * docs/extension.md lists them for people; a test compares.
 */
export const FAILURES = {
  // The extension itself
  interrupted:
    'The browser stopped the collector while it was at work: press the button again, nothing is collected twice',
  updated: 'The collector was updated or removed: reload this page, then try again',
  storageFull: 'The disk is full: free some space, then try again; what was collected before is kept',
  storageBroken:
    'The browser can’t open the collector’s storage: close and open the browser, then try again; what was collected before is kept',
  unexpected: 'Something went wrong in the collector: reload the page, then try again',

  // Pages that can’t be read
  noAddress: 'This page can’t be collected from: open a web page, then press the collector’s icon on it',
  browserPage: 'Pages of the browser itself can’t be collected: open a web page',
  extensionStore: 'Browsers let no extension read their store of extensions: open another page',
  localFile: 'Files on this computer can’t be collected: open the page where it is on the web',
  noPermission:
    'The browser does not let the collector read this page: press the collector’s icon on it, then try again',
  policy: 'The administrator of this browser blocks the collector on this page: ask them to allow it',
  notLoaded: 'This page did not load: reload it, then try again',
  pageGone: 'The page was closed or left meanwhile: open it again, then try again',
  notReady: 'The page does not answer: reload it, then try again',
  feed: 'This is a feed, not a page: open one of its articles, then collect that',
  svg: 'This is a picture (SVG), not a page: open the page that shows it',
  pdf: 'This is a PDF, not a page: open the page that links to it',
  file: 'This is a file ({type}), not a page: open the page that shows it or links to it',
  tooMuch: 'The page is too long to be read at once: collect its posts one by one',
  nothingHere: 'No post was found on this page: open a single post or article, then collect it',
  nothingInChannel: 'No post was found on this page: open the channel’s page, {page}, and collect there',
  webApp: 'Telegram’s web app can’t be collected: open the channel’s page, {page}, and collect there',
  removedKept: 'This post was removed; your record of {day} stays',
  removed: 'This post was removed, so nothing was collected: if you have a record of it, that stays',
  waiting: 'The site asks to wait, so nothing was collected: reload the page once it shows the post',
  withheld:
    'The site does not show this post to you, so nothing was collected: sign in on the site, then try again',
  siteError: 'The site answered with an error (status {status}), so nothing was collected: try again later',
  unfit:
    'What this page says does not fit into a record ({fields}): report the page to those who run the server',
  notCollecting: 'Keep collecting is not on here: switch it on',
  notMarking: 'Known IODs are not marked here: switch that on',
  keepEnded: 'Keep collecting has ended here, as {reason}: switch it on again',

  // The account and the server
  signInFirst: 'Sign in first',
  sessionEnded: 'Your session has ended: sign in again',
  unsafeServer:
    'Enter an address that starts with https:// (or http://localhost for a server on this computer)',
  serverPath: 'Enter the address alone, without a path: https://iodine.example.org',
  unreachable: '{server} can’t be reached: check your connection, and the address in the options',
  notIodine:
    '{server} doesn’t answer as it should: check the address in the options, and whether your network wants a sign-in first',
  forbidden: 'The server does not let this account do that: sign in again with a new code',
  missing:
    'The server does not know that: it may have been deleted, or the server is older than the collector',
  tooLarge: 'It is too large for the server: collect fewer posts at once',
  tooMany: 'The server asks for a pause: wait a little, then try again',
  serverFault: 'The server has a fault: wait a few minutes, then try again',
  refused: 'The server refuses it (status {status}): report that to those who run the server',
  damaged: 'What the server sent is damaged: it is downloaded again in a few minutes',

  // Options that need a permission
  picturesPermission: 'Without this permission pictures can’t be read: switch it on again, and allow it',
  markingPermission: '{host} is marked only with your permission: switch it on again, and allow it',
  iodGone: 'This IOD is not there any more: create it again',

  // Why a page has no capture, or a quote is no evidence
  tooLong: 'the page is too long; its record is kept',
  notShown: 'the page does not show it: scroll to it, then collect it again',
  unreadablePart: 'this part of the page can’t be read; its record is kept',
  addressChanged: 'the page changed its address meanwhile: collect it again',
  nothingToCapture: 'the page says nothing that could be captured; its record is kept',
  capturesFull:
    'captures that wait to be sent take all the room that they have in this browser: press Send now, then collect it again',
  noRoom: 'the disk is full: free some space, then collect it again',
  captureStopped: 'the browser stopped the collector meanwhile: collect it again',
  captureFailed: 'the page could not be captured: reload it, then collect it again',
  captureLost: 'a part of it is lost in this browser: collect the page again',
  notSealed: 'its page could not be sealed: add the quote again',
  wordsMissing: 'the selected words are not in the text of the page: select them again',
  wordsDiffer: 'the selected words don’t say the value of the IOD: select the value itself',
} as const

export type FailureKind = keyof typeof FAILURES

/** The sentence of a failure, with its values filled in. */
export const sentenceOf = (kind: FailureKind, values: Record<string, unknown> = {}): string =>
  FAILURES[kind].replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ''))

/** A failure whose message is for the user. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly kind: FailureKind
  constructor(kind: FailureKind, values?: Record<string, unknown>, options?: ErrorOptions) {
    super(sentenceOf(kind, values), options)
    this.kind = kind
  }
}

/** A failure of which another part of the extension has made the sentence already. */
export const failureSaying = (sentence: string): Failure =>
  Object.assign(new Failure('unexpected'), { message: sentence })

/** What browsers say of a message whose receiver is not there or goes meanwhile: of which, the caller knows. */
const CHANNEL =
  /could not establish connection|receiving end does not exist|message (?:port|channel)(?: is)? closed|message manager disconnected|promised response .* went out of scope/i

/** Errors of Chromium and Firefox, by their name or text. The first one that fits counts. */
const RAW: readonly (readonly [RegExp, FailureKind])[] = [
  [/extension context invalidated|access dead object|reading '(?:sendMessage|id)'/i, 'updated'],
  [/quota|full disk|disk is full|no space|not enough space|FILE_ERROR_NO_SPACE/i, 'storageFull'],
  [/backing store|indexedDB|IDB|database|InvalidStateError|VersionError/i, 'storageBroken'],
  [/gallery cannot be scripted|webstore|addons\.mozilla\.org/i, 'extensionStore'],
  [/ExtensionsSettings policy|blocked by (?:your )?administrator/i, 'policy'],
  [/file:\/\//i, 'localFile'],
  [
    /cannot access an? [\w-]+:(?:\/\/)? ?url|(?:chrome|edge|about|moz-extension|devtools|view-source):/i,
    'browserPage',
  ],
  [/showing error page/i, 'notLoaded'],
  [
    /no (?:tab|window|frame) with id|invalid tab id|tab (?:was|has been) closed|frame .*(?:removed|destroyed)|back\/forward cache/i,
    'pageGone',
  ],
  [
    /cannot access contents|missing host permission|permission (?:denied|is not in effect)|must request permission/i,
    'noPermission',
  ],
  [/message (?:length )?exceeded|maximum allowed/i, 'tooMuch'],
]

/**
 * The failure that a person is told of, in place of an error of the browser's.
 * @param channel of a message that nobody answers
 * @param fallback of an error that is not known
 */
export const failureOf = (
  error: unknown,
  channel: FailureKind = 'interrupted',
  fallback: FailureKind = 'unexpected',
): Failure | ApiError => {
  if (error instanceof Failure || error instanceof ApiError) return error
  const text =
    error instanceof Error || error instanceof DOMException ? `${error.name}: ${error.message}` : `${error}`
  const kind = CHANNEL.test(text) ? channel : RAW.find(([pattern]) => pattern.test(text))?.[1]
  return new Failure(kind ?? fallback, {}, { cause: error })
}

/** Addresses of the browsers’ stores of extensions, in which no extension may run. */
const STORES =
  /^https:\/\/(?:chromewebstore\.google\.com\/|chrome\.google\.com\/webstore|addons\.mozilla\.org\/|microsoftedge\.microsoft\.com\/addons)/

/** Why nothing can be collected at an address, which is empty where the browser does not tell it; undefined if it may be. */
export const refusalOf = (address: string): FailureKind | undefined => {
  if (STORES.test(address)) return 'extensionStore'
  if (/^https?:\/\//.test(address)) return undefined
  if (address === '') return 'noAddress'
  return address.startsWith('file:') ? 'localFile' : 'browserPage'
}
