import { LIMITS } from '@iodine/contracts'
import { anchorQuote } from '@iodine/evidence'
import { Failure } from '../shared/failures'
import type { PageParts, QuotedPage } from '../shared/messages'
import { loadedPictures, partAround, readPart } from './page-parts'
import { PICTURE_CHARACTERS_MAX, readPictures, retryUnreadable } from './pictures'

/** Shorter than for captures, since the user waits for the form. */
const PICTURE_MS = 3_000

/** Selected words, located in the page's text. */
export interface Selected {
  place: QuotedPage['place']
  read: Pick<PageParts, 'url' | 'dom' | 'text'>
  pictures: string[]
}

const oneSpace = (text: string): string => text.replace(/\s+/g, ' ')

/** Returns the text before and after a range, approximately as in the projected text. */
const around = (range: Range, part: Element): { prefix: string; suffix: string } => {
  const before = document.createRange()
  before.setStart(part, 0)
  before.setEnd(range.startContainer, range.startOffset)
  const after = document.createRange()
  after.setStart(range.endContainer, range.endOffset)
  after.setEnd(part, part.childNodes.length)
  return {
    prefix: oneSpace(before.toString()).slice(-LIMITS.quoteContextMax),
    suffix: oneSpace(after.toString()).slice(0, LIMITS.quoteContextMax),
  }
}

/** Locates words in a text. White space may differ, since selections break lines differently. */
const locate = (text: string, exact: string, context: { prefix: string; suffix: string }) => {
  const place = anchorQuote(text, { exact, ...context })
  if (place) return place
  const words = exact
    .trim()
    .split(/\s+/)
    .map(word => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  const [same] = new RegExp(words.join('\\s+'), 'u').exec(text) ?? []
  return same === undefined ? null : anchorQuote(text, { exact: same, ...context })
}

/** Finds selected words in the text of the page. @throws Failure if they are missing */
export const findSelected = (value: string, range: Range): Selected => {
  const part = partAround(range.commonAncestorContainer)
  const read = readPart(part)
  const place = locate(read.text, value, around(range, part))
  if (!place) throw new Failure('wordsMissing')
  return {
    place: { ...place, exact: read.text.slice(place.start, place.end) },
    read,
    pictures: loadedPictures(part),
  }
}

/** Adds the parts of the page for a capture to selected words. */
export const quotedPage = async ({ place, read, pictures }: Selected): Promise<QuotedPage> => {
  retryUnreadable()
  const found = await readPictures(pictures, { left: PICTURE_CHARACTERS_MAX }, PICTURE_MS)
  return { page: { ...read, ...found }, place }
}
