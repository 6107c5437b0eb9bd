import { isApiError } from '@iodine/mfe-kit'
import { errorDetail, formatCount } from '@iodine/ui'
import type { Counted } from './import-plan'

const REASONS: Readonly<Record<string, string>> = {
  'broken-line': 'The line is damaged',
  'not-an-item': 'Not a post',
  'not-a-post': 'The URL is not that of a post',
  'no-content': 'Has no content',
  'no-id': 'Has neither an id nor a URL',
  'rounded-id': 'Its id was rounded, for example by a spreadsheet',
  'no-address': 'Its URL is unknown',
  'short-address': 'A short link, whose target is not in the file',
  'unknown-platform': 'Its platform is unknown',
  live: 'A live broadcast',
  ad: 'An advertisement',
  'service-message': 'A message of the service, such as a new member',
  'unsupported-message': 'A kind of message that cannot be imported',
  'chat-not-chosen': 'In a chat that was not chosen',
  'not-a-video': 'Not a video',
  'not-public': 'Not public',
  deletion: 'States a deletion; nothing is deleted here',
  'wrong-columns': 'Has other columns than the header',
  'cut-record': 'The file ends within it',
}

const WARNINGS: Readonly<Record<string, string>> = {
  'cut-file': 'The file is incomplete: its end is missing',
  'rounded-id': 'An id was rounded; an exact one was used instead',
  'extra-cells': 'More cells than the header has; the surplus is left out',
  'unreadable-time': 'The time cannot be read and is left out',
  'text-cut': 'The text is too long and was shortened',
  'list-cut': 'A list is too long and was shortened',
}

const textOf = (texts: Readonly<Record<string, string>>, reason: string): string =>
  (Object.hasOwn(texts, reason) && texts[reason]) || reason

/** Returns why an item is left out, as a sentence without a full stop. */
export const skipText = (reason: string): string => textOf(REASONS, reason)
/** Returns the text of a warning. */
export const warningText = (warning: string): string => textOf(WARNINGS, warning)

/** Returns 'line 3', 'lines 3, 8' or 'lines 3, 8 …', if the list is incomplete. */
export const linesText = ({ count, lines }: Counted): string =>
  `${count === 1 ? 'line' : 'lines'} ${lines.map(line => formatCount(line)).join(', ')}${count > lines.length ? ' …' : ''}`

const UNITS = ['bytes', 'kB', 'MB', 'GB'] as const

/** Formats a size: '512 bytes', '1.4 MB'. */
export const formatBytes = (bytes: number): string => {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const value = bytes / 1_000 ** power
  return `${value.toLocaleString('en-US', { maximumFractionDigits: power === 0 ? 0 : 1 })} ${UNITS[power]}`
}

/** Returns why an import paused, and what to do. */
export const pauseText = (error: unknown): string => {
  if (!isApiError(error))
    return 'The browser could not read the prepared records. Cancel, and choose the file again.'
  if (error.status === 0)
    return navigator.onLine
      ? 'The server did not answer. Check your connection, then press Resume.'
      : 'You are offline. Check your connection, then press Resume.'
  if (error.status === 409)
    return `${errorDetail(error, 'The import went on elsewhere, for example in another tab')}. Press Resume to continue.`
  if (error.status === 413) return errorDetail(error, 'A quota is full. Delete some data, then press Resume.')
  return `${errorDetail(error, 'The server failed')}. Press Resume to try again.`
}

const FORMATS: Readonly<Record<string, string>> = {
  zeeschuimer: 'Zeeschuimer',
  'zeeschuimer-csv': 'Zeeschuimer, CSV',
  '4cat': '4CAT, CSV',
  'telegram-desktop': 'Telegram Desktop',
  telethon: 'Telethon',
  'telegram-tracker': 'telegram-tracker',
  'telegram-scraper': 'telegram-scraper',
  'telegram-scraper-csv': 'telegram-scraper, CSV',
  'tiktok-research-videos': 'TikTok Research API, videos',
  'tiktok-research-comments': 'TikTok Research API, comments',
  'tiktok-user-data': 'TikTok’s own data',
  crowdtangle: 'CrowdTangle',
  'meta-content-library': 'Meta Content Library',
  junkipedia: 'Junkipedia',
  'x-api-v2': 'X API',
  'x-archive': 'X archive',
  'twarc-csv': 'twarc, CSV',
  snscrape: 'snscrape',
  'ytdt-videos': 'YouTube Data Tools, videos',
  'ytdt-comments': 'YouTube Data Tools, comments',
  bluesky: 'Bluesky',
  mastodon: 'Mastodon',
  activitypub: 'Mastodon, outbox',
  rss: 'RSS feed',
  atom: 'Atom feed',
  'json-feed': 'JSON Feed',
  csv: 'Table with chosen columns',
  urls: 'List of URLs',
  wacz: 'Web archive (WACZ)',
  warc: 'Web archive (WARC)',
}

/** Returns the name of a file format as people write it. */
export const formatName = (format: string): string => textOf(FORMATS, format)

/** Returns why a file could not be read, as a sentence. */
export const readFault = (error: unknown): string => {
  const { name, message } = error instanceof Error ? error : new Error()
  if (name === 'RefusedError' || name === 'EncodingError')
    return message.endsWith('.') ? message : `${message}.`
  if (name === 'QuotaExceededError')
    return 'The browser has no space left for the prepared records. Import a smaller file, or free space on this device.'
  if (name === 'NotReadableError' || name === 'NotFoundError')
    return 'The browser could not read the file. It may have been moved or changed: choose it again.'
  return 'The file could not be read.'
}
