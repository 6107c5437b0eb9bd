import { foldHashtag, foldText, HASHTAG_SIGNS, parseUrl, type ValueKind } from '@iodine/contracts'
import { getDomain } from 'tldts'

/** Longer values are not counted. */
const VALUE_MAX = 200
/** UTF-16 units of a text that are read. */
const TEXT_MAX = 2_000

const HASHTAGS = new RegExp(`(?<![\\p{L}\\p{N}_&/])[${HASHTAG_SIGNS}][\\p{L}\\p{M}\\p{N}_]+`, 'gu')
const ACCOUNTS = /(?<![\p{L}\p{N}_.@/])@[\p{L}\p{N}_][\p{L}\p{N}_.-]*/gu
const URLS = /https?:\/\/[^\s<>"'`]+/gi

/**
 * Returns the domain of a URL or a host below its public suffix, such as `example.co.uk`, in ASCII. Source of suffixes:
 * publicsuffix.org, ICANN part. Undefined for IP addresses, suffixes and other texts.
 */
const domainOf = (text: string): string | undefined => {
  const url = parseUrl(/^https?:\/\//i.test(text) ? text : `http://${text}/`)
  return (url && getDomain(url.hostname)) ?? undefined
}

const bareAccount = (value: string): string =>
  foldText(value.trim())
    .replace(/^@/, '')
    .replace(/[.-]+$/, '')

/** Returns the form in which a value is counted; undefined if it is none of its kind or too long. */
export const countedValue = (kind: ValueKind, value: string): string | undefined => {
  if (value.length > VALUE_MAX && kind !== 'domain') return undefined
  const folded = { domain: domainOf, hashtag: foldHashtag, account: bareAccount }[kind](value)
  return folded && folded.length <= VALUE_MAX ? folded : undefined
}

/** Yields the domains of URLs, the hashtags and the accounts in the start of a text, in the form to be counted. */
export function* valuesIn(text: string): Generator<{ kind: ValueKind; value: string }> {
  const start = text.slice(0, TEXT_MAX)
  // The paths and fragments of URLs contain neither hashtags nor accounts.
  const rest = start.replace(URLS, ' ')
  const found = {
    domain: start.match(URLS),
    hashtag: rest.match(HASHTAGS),
    account: rest.match(ACCOUNTS),
  }
  for (const kind of ['domain', 'hashtag', 'account'] as const)
    for (const each of found[kind] ?? []) {
      const value = countedValue(kind, each)
      if (value) yield { kind, value }
    }
}
