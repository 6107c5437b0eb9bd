import { ApiError } from '@iodine/contracts'

/**
 * All failures that users can see, by kind: one sentence with the remedy, without a full stop. `{name}` is replaced by a
 * value. Sentences that begin in lower case follow “The last page has no capture:” or “Not sealed:”.
 * docs/extension.md lists them; a test compares.
 */
export const FAILURES = {
  // The extension itself
  interrupted:
    'The browser stopped the collector while it was working: press the button again, nothing is collected twice',
  updated: 'The collector was updated or removed: reload this page, then try again',
  storageFull: 'The disk is full: free some space, then try again; earlier records are kept',
  storageBroken:
    'The browser can’t open the collector’s storage: restart the browser, then try again; earlier records are kept',
  unexpected: 'Something went wrong in the collector: reload the page, then try again',

  // Pages that can’t be read
  noAddress: 'This page can’t be collected: open a web page, then press the collector’s icon',
  browserPage: 'Pages of the browser itself can’t be collected: open a web page',
  extensionStore: 'Browsers don’t let extensions read the extension store: open another page',
  localFile: 'Files on this computer can’t be collected: open the page on the web',
  noPermission:
    'The browser does not let the collector read this page: press the collector’s icon on it, then try again',
  policy: 'The administrator of this browser blocks the collector on this page: ask them to allow it',
  notLoaded: 'This page did not load: reload it, then try again',
  pageGone: 'The page was closed or left meanwhile: open it again, then try again',
  notReady: 'The page does not answer: reload it, then try again',
  feed: 'This is a feed, not a page: open one of its articles, then collect it',
  svg: 'This is a picture (SVG), not a page: open the page that shows it',
  pdf: 'This is a PDF, not a page: open the page that links to it',
  file: 'This is a file ({type}), not a page: open the page that shows it or links to it',
  tooMuch: 'The page is too long to be read at once: collect its posts one by one',
  nothingHere: 'No post was found on this page: open a single post or article, then collect it',
  nothingInChannel: 'No post was found on this page: open the channel’s page, {page}, and collect there',
  webApp: 'Telegram’s web app can’t be collected: open the channel’s page, {page}, and collect there',
  removedKept: 'This post was removed; your record of {day} is kept',
  removed: 'This post was removed, so nothing was collected; an existing record is kept',
  waiting: 'The site asks you to wait, so nothing was collected: reload the page once it shows the post',
  withheld:
    'The site does not show this post to you, so nothing was collected: sign in on the site, then try again',
  siteError: 'The site answered with an error (status {status}), so nothing was collected: try again later',
  unfit:
    'The content of this page does not fit into a record ({fields}): report the page to the server’s administrator',
  notCollecting: 'Keep collecting is off on this page: switch it on',
  notMarking: 'Marking of known IODs is off on this site: switch it on',
  keepEnded: 'Keep collecting ended on this page because {reason}: switch it on again',

  // The account and the server
  signInFirst: 'Sign in first',
  sessionEnded: 'Your session has ended: sign in again',
  unsafeServer: 'Enter a URL that starts with https:// (or http://localhost for a server on this computer)',
  serverPath: 'Enter the URL without a path: https://iodine.example.org',
  unreachable: '{server} can’t be reached: check your connection, and the server URL in the options',
  notIodine:
    '{server} sent an unexpected response: check the server URL in the options, and whether your network requires a sign-in',
  forbidden: 'The server does not allow this action: sign in again with a new code',
  missing: 'The server does not find it: it may be deleted, or the server is older than the collector',
  tooLarge: 'The request is too large for the server: collect fewer posts at once',
  tooMany: 'The server received too many requests: wait a little, then try again',
  serverFault: 'The server has an error: wait a few minutes, then try again',
  refused: 'The server refused the request (status {status}): report it to the server’s administrator',
  damaged: 'The download from the server is damaged: it will be repeated in a few minutes',

  // Options that need a permission
  picturesPermission: 'Without this permission pictures can’t be read: switch it on again, and allow it',
  markingPermission: 'Marking IODs on {host} requires your permission: switch it on again, and allow it',
  iodGone: 'This IOD no longer exists: create it again',

  // Why a page has no capture, or a quote is no evidence
  tooLong: 'the page is too long; its record is kept',
  notShown: 'the page does not show the post: scroll to it, then collect it again',
  unreadablePart: 'this part of the page can’t be read; its record is kept',
  addressChanged: 'the page’s URL changed meanwhile: collect it again',
  nothingToCapture: 'the page has no content to capture; its record is kept',
  capturesFull: 'captures that wait to be sent use all their storage: press Send now, then collect it again',
  noRoom: 'the disk is full: free some space, then collect it again',
  captureStopped: 'the browser stopped the collector meanwhile: collect it again',
  captureFailed: 'the page could not be captured: reload it, then collect it again',
  captureLost: 'this browser lost a part of the capture: collect the page again',
  notSealed: 'the capture of its page could not be sealed: add the quote again',
  wordsMissing: 'the selected words are not in the text of the page: select them again',
  wordsDiffer: 'the selected words don’t contain the value of the IOD: select the value itself',
} as const

export type FailureKind = keyof typeof FAILURES

/** Returns the sentence of a failure with its values. */
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

/** Creates a failure with a message that another part of the extension has already formatted. */
export const failureWithMessage = (sentence: string): Failure =>
  Object.assign(new Failure('unexpected'), { message: sentence })

/** Browser errors for a message without a receiver, or whose receiver ends. The caller knows the receiver. */
const NO_RECEIVER =
  /could not establish connection|receiving end does not exist|message (?:port|channel)(?: is)? closed|message manager disconnected|promised response .* went out of scope/i

/** Errors of Chromium and Firefox, by their name or text. The first match wins. */
const BROWSER_ERRORS: readonly (readonly [RegExp, FailureKind])[] = [
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
    /cannot access contents|missing host permission|permission (?:denied(?! to access)|is not in effect)|must request permission/i,
    'noPermission',
  ],
  [/message (?:length )?exceeded|maximum allowed/i, 'tooMuch'],
]

/**
 * Converts an error of the browser to a failure for the user.
 * @param channel kind for a message without a response
 * @param fallback kind for an unknown error
 */
export const failureOf = (
  error: unknown,
  channel: FailureKind = 'interrupted',
  fallback: FailureKind = 'unexpected',
): Failure | ApiError => {
  if (error instanceof Failure || error instanceof ApiError) return error
  const text =
    error instanceof Error || error instanceof DOMException ? `${error.name}: ${error.message}` : `${error}`
  const kind = NO_RECEIVER.test(text) ? channel : BROWSER_ERRORS.find(([pattern]) => pattern.test(text))?.[1]
  return new Failure(kind ?? fallback, {}, { cause: error })
}

/** URLs of the extension stores, in which browsers run no extension. */
const STORES =
  /^https:\/\/(?:chromewebstore\.google\.com\/|chrome\.google\.com\/webstore|addons\.mozilla\.org\/|microsoftedge\.microsoft\.com\/addons)/

/** Returns why a URL can't be collected; undefined if it can. The URL is empty if the browser hides it. */
export const unsupportedReason = (address: string): FailureKind | undefined => {
  if (STORES.test(address)) return 'extensionStore'
  if (/^https?:\/\//.test(address)) return undefined
  if (address === '') return 'noAddress'
  return address.startsWith('file:') ? 'localFile' : 'browserPage'
}
