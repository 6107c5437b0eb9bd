import { cutText } from './characters.js'

/** Matches the last white space of a text. */
const LAST_SPACE = /\s\S*$/u

/** Returns the beginning of a text, at most `max` UTF-16 units: whole words, or whole characters of a longer word. */
export const firstWords = (text: string, max: number): string => {
  if (text.length <= max) return text
  const space = text.slice(0, max + 1).search(LAST_SPACE)
  if (space > max / 2) return text.slice(0, space).trimEnd()
  return cutText(text, max)
}

/** Returns the end of a text, at most `max` UTF-16 units: whole words, or whole characters of a longer word. */
export const lastWords = (text: string, max: number): string => {
  if (text.length <= max) return text
  const end = text.slice(-max - 1)
  const space = end.search(/\s/u)
  if (space >= 0 && space < max / 2) return end.slice(space).trimStart()
  const cut = text.slice(-max)
  return cut.isWellFormed() ? cut : cut.slice(1)
}

/** Returns a text of at most `max` UTF-16 units; of a longer one the first words, followed by '…'. */
export const excerptOf = (text: string, max: number): string =>
  text.length <= max ? text : `${firstWords(text, max - 1)}…`
