import { type DraftRecord, recordOfAddress } from '../records/of-draft.js'
import { addressOf } from '../text/addresses.js'
import { linksIn } from '../text/found.js'
import { linesOf } from '../text/lines.js'
import type { Answers, Reason } from '../types.js'
import { isAddressSource } from './address-source.js'

/** Returns the first URL in a line: also defanged, without a scheme, in Markdown and in brackets. */
export const firstAddress = (line: string): string | undefined => {
  const [linked] = linksIn(line)
  if (linked) return linked
  const words = line.split(/[\s,;|\t<>"'()]+/).map(word => word.replace(/^[[(]+|[.,;:!?)]+$/g, ''))
  return words.find(word =>
    /^(?:h(?:xx|tt)ps?(?::|\[:\])|tg:|at:|(?:[\w-]+(?:\.|\[\.\]))+[a-z]{2,}\/\S)/i.test(word),
  )
}

/**
 * Reads a list of URLs, one a line: the first one in it. Blank lines and lines that begin with `#` are comments.
 * @param texts with line ends `\n`
 */
export async function* readAddresses(
  texts: AsyncIterable<string>,
  answers: Answers,
): AsyncGenerator<(DraftRecord & { at: number }) | { skipped: Reason; line: number }, void, undefined> {
  const origin = { fetched: answers.file_time, by: 'urls' }
  let line = 0
  for await (const text of linesOf(texts)) {
    line += 1
    if (/^\s*(?:#|$)/.test(text)) continue
    const written = firstAddress(text)
    const address = addressOf(written ?? text.trim())
    if (isAddressSource(address)) yield { ...recordOfAddress(address, {}, origin), at: line }
    else yield { skipped: address.skipped, line }
  }
}
