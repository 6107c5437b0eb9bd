import { isGivenName, isKnownWord } from './lemmas.js'
import { listsOf } from './lists.js'

/** Minimum letters of a word that is searched for misspellings. */
const LETTERS_MIN = 5
/** Maximum words that share a form with one letter deleted: in larger groups, similarity is no evidence. */
const GROUP_MAX = 12

const isWord = (token: string) => token.length >= LETTERS_MIN && token.length <= 40 && /^\p{L}+$/u.test(token)

const differByOne = (a: string, b: string): boolean => {
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const [left, right] = [a.length - start - end, b.length - start - end]
  if (left <= 1 && right <= 1) return true
  // A transposition.
  return left === 2 && right === 2 && a[start] === b[start + 1] && a[start + 1] === b[start]
}

/**
 * Finds words with the same first letter that differ by one letter or one transposition, except two known English
 * words. Method: deletion neighbourhoods, as in Garbe's SymSpell.
 *
 * @returns the sorted neighbours of each word that has any
 */
export const nearWords = (tokens: Iterable<string>): Map<string, string[]> => {
  const groups = listsOf<string, string>()
  for (const token of new Set(tokens)) {
    if (!isWord(token)) continue
    const forms = new Set([token])
    for (let n = 1; n < token.length; n++) forms.add(token.slice(0, n) + token.slice(n + 1))
    for (const form of forms) groups.add(form, token)
  }
  const near = new Map<string, Set<string>>()
  const add = (from: string, to: string) => {
    const known = near.get(from)
    if (known) known.add(to)
    else near.set(from, new Set([to]))
  }
  for (const group of groups.all()) {
    if (group.length < 2 || group.length > GROUP_MAX) continue
    for (const [n, a] of group.entries()) {
      for (const b of group.slice(n + 1)) {
        if ((isKnownWord(a) && isKnownWord(b) && !(isGivenName(a) && isGivenName(b))) || !differByOne(a, b))
          continue
        add(a, b)
        add(b, a)
      }
    }
  }
  return new Map([...near].map(([token, others]) => [token, [...others].sort()]))
}
