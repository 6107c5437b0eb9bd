import { singularOf } from './lemmas.js'
import type { Match, Matcher, Unit } from './link.js'

const DETERMINERS = new Set([
  'the',
  'a',
  'an',
  'this',
  'that',
  'these',
  'those',
  'our',
  'their',
  'its',
  'his',
  'her',
  'my',
  'your',
  'some',
])
/** Tokens of a label that are compared; longer labels are sentences rather than names. */
const TOKENS_MAX = 24
/** Leaders of one token that are compared: a token of more says little. */
const POSTINGS_MAX = 400
const OVERLAP_MIN = 0.5

/** The tokens of an entity's key: words without marks, determiners and plurals. */
export const tokensOf = (key: string): string[] => {
  const words = key
    .normalize('NFKC')
    .replace(/[’'`´ʼ]s(?=$|[^\p{L}\p{N}])/gu, '')
    .replace(/[’'`´ʼ.]/g, '')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter(Boolean)
  while (words.length > 1 && DETERMINERS.has(words[0] ?? '')) words.shift()
  return words.slice(0, TOKENS_MAX).map(singularOf)
}

/** Weights of tokens: the rarer in the labels, the heavier. */
const weightsOf = (labels: Iterable<readonly string[]>) => {
  const found = new Map<string, number>()
  let all = 0
  for (const tokens of labels) {
    all++
    for (const token of new Set(tokens)) found.set(token, (found.get(token) ?? 0) + 1)
  }
  return (token: string) => Math.log(1 + all / (found.get(token) ?? 1))
}

const initialsOf = (tokens: readonly string[]): string => tokens.map(token => token[0] ?? '').join('')

/** Compares entities by their words: idf-weighted overlap, and acronyms that stand for one name alone. */
export const entityMatcher = (keys: readonly string[]): Matcher => {
  const tokens = new Map(keys.map(key => [key, tokensOf(key)]))
  const weightOf = weightsOf(tokens.values())
  const leaders: { sets: { tokens: Set<string>; weight: number }[] }[] = []
  const postings = new Map<string, number[]>()
  const named = new Map<string, number>()

  const setsOf = (unit: Unit) =>
    unit.keys.map(key => {
      const set = new Set(tokens.get(key))
      let weight = 0
      for (const token of set) weight += weightOf(token)
      return { tokens: set, weight }
    })

  const acronyms = new Map<string, Set<string>>()
  for (const [, words] of tokens) {
    if (words.length < 2) continue
    const initials = initialsOf(words)
    const known = acronyms.get(initials)
    if (known) known.add(words.join(' '))
    else acronyms.set(initials, new Set([words.join(' ')]))
  }
  const isClear = (acronym: string) => acronym.length > 1 && acronyms.get(acronym)?.size === 1

  return {
    addLeader(unit, leader) {
      leaders[leader] = { sets: setsOf(unit) }
      for (const key of unit.keys) {
        const words = tokens.get(key) ?? []
        named.set(words.join(''), leader)
        if (words.length === 1 && isClear(words[0] ?? '')) named.set(`acronym ${words[0]}`, leader)
        if (words.length > 1 && isClear(initialsOf(words))) named.set(`acronym ${initialsOf(words)}`, leader)
      }
      for (const token of new Set(unit.keys.flatMap(key => tokens.get(key) ?? []))) {
        const list = postings.get(token)
        if (list) list.push(leader)
        else postings.set(token, [leader])
      }
    },
    matchesOf(unit) {
      const found = new Map<number, Match>()
      const offer = (match: Match) => {
        const known = found.get(match.leader)
        if (!known || match.similarity > known.similarity) found.set(match.leader, match)
      }
      for (const key of unit.keys) {
        const words = tokens.get(key) ?? []
        const same = named.get(words.join(''))
        if (same !== undefined && words.length > 0) offer({ leader: same, similarity: 1, why: 'words' })
        const acronym = words.length === 1 ? words[0] : initialsOf(words)
        const meant = named.get(`acronym ${acronym}`)
        if (meant !== undefined) offer({ leader: meant, similarity: 0.9, why: 'acronym' })
      }
      for (const set of setsOf(unit)) {
        const rarest = [...set.tokens].sort((a, b) => weightOf(b) - weightOf(a) || (a < b ? -1 : 1))
        let left = set.weight
        const seen = new Set<number>()
        for (const token of rarest) {
          // What shares only the remaining tokens cannot overlap by half.
          if (left < OVERLAP_MIN * set.weight) break
          left -= weightOf(token)
          const list = postings.get(token) ?? []
          if (list.length > POSTINGS_MAX) continue
          for (const leader of list) {
            if (seen.has(leader)) continue
            seen.add(leader)
            for (const other of leaders[leader]?.sets ?? []) {
              let shared = 0
              for (const each of set.tokens) if (other.tokens.has(each)) shared += weightOf(each)
              const similarity = shared / (set.weight + other.weight - shared)
              if (similarity >= OVERLAP_MIN) offer({ leader, similarity, why: 'words' })
            }
          }
        }
      }
      return [...found.values()].sort((a, b) => b.similarity - a.similarity || a.leader - b.leader)
    },
  }
}
