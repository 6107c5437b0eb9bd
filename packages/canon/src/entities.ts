import type { Match, Matcher, Why } from './link.js'
import { listsOf } from './lists.js'
import { isDescription, mayMean, type Name, shortForms, textOf } from './names.js'
import { nearWords } from './near-words.js'

/** Maximum names that share a word; names are not compared by a more common word. */
const POSTINGS_MAX = 200
/** Maximum leaders that a name is compared with by overlap. */
const CANDIDATES_MAX = 200
/** Maximum words that are searched for misspellings, the most common first. */
const NEAR_WORDS_MAX = 50_000
const OVERLAP_MIN = 0.5
/** Minimum overlap of two names of which neither contains all words of the other. */
const BOTH_MIN = 0.7
/** Weight of overlap, below the similarity of a short form (0.7). */
const OVERLAP_WEIGHT = 0.69
/** Minimum share of occurrences for the main meaning of an ambiguous short name. */
const MAIN_MEANING = 0.8

/** A label of an entity, with its number of occurrences. */
export interface NamedLabel {
  name: Name
  count: number
}

const isInside = (a: ReadonlySet<string>, b: ReadonlySet<string>) => {
  if (a.size > b.size) return false
  for (const token of a) if (!b.has(token)) return false
  return true
}

/** Creates the index of the labels' words and short forms. */
const createWordIndex = (labels: ReadonlyMap<string, NamedLabel>) => {
  const df = new Map<string, number>()
  const byToken = listsOf<string, string>()
  /** Labels that occur, as words: candidates for short forms. */
  const occurring = new Set<string>()
  for (const { name } of labels.values()) occurring.add(name.words.join(' '))
  /** The name that a short form stands for; null if it is ambiguous. */
  const expansions = new Map<string, string | null>()
  const formsOf = (name: Name) => shortForms(name.words).filter(form => occurring.has(form))
  for (const { name } of labels.values())
    for (const token of name.tokens) df.set(token, (df.get(token) ?? 0) + 1)
  /** Returns true for a word that several labels contain. */
  const isShared = (token: string) => (df.get(token) ?? 0) > 1
  for (const [key, { name }] of labels) {
    for (const token of name.tokens) if (isShared(token)) byToken.add(token, key)
    for (const form of formsOf(name)) {
      const known = expansions.get(form)
      expansions.set(form, known === undefined || known === name.text ? name.text : null)
    }
  }
  const near = nearWords(
    [...df]
      .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
      .slice(0, NEAR_WORDS_MAX)
      .map(([token]) => token),
  )
  const weightOf = (token: string) => Math.log(1 + labels.size / (df.get(token) ?? 1))
  const weightOfAll = (tokens: Iterable<string>) => {
    let sum = 0
    for (const token of tokens) sum += weightOf(token)
    return sum
  }
  return {
    byToken,
    near,
    formsOf,
    isShared,
    weightOf,
    weightOfAll,
    isUnambiguous: (form: string) => typeof expansions.get(form) === 'string',
  }
}
type WordIndex = ReturnType<typeof createWordIndex>

/** Returns whether a name may be a short form of another one. */
const isShortForm = ({ words, isAcronym }: Name) =>
  words.length > 1 || (words[0]?.length ?? 0) > 2 || isAcronym

/**
 * Returns the keys of longer names that a short name stands for: all if it is unambiguous, else its main meaning's.
 */
const meaningsOf = (
  labels: ReadonlyMap<string, NamedLabel>,
  { byToken, isShared }: WordIndex,
  key: string,
  name: Name,
): ReadonlySet<string> => {
  let rarest: readonly string[] | undefined
  const none = new Set<string>()
  for (const token of name.tokens) {
    if (!isShared(token)) return none
    const list = byToken.get(token)
    if (!rarest || list.length < rarest.length) rarest = list
  }
  if (!rarest || rarest.length > POSTINGS_MAX) return none
  const longer: { key: string; count: number; extra: Set<string> }[] = []
  for (const other of rarest) {
    const label = other === key ? undefined : labels.get(other)
    if (!label || !mayMean(name, label.name)) continue
    const extra = new Set(
      [...label.name.tokens].filter(token => !name.tokens.has(token) && !isDescription(token)),
    )
    longer.push({ key: other, count: label.count, extra })
  }
  longer.sort((a, b) => b.extra.size - a.extra.size || b.count - a.count || (a.key < b.key ? -1 : 1))
  const all = longer.reduce((sum, { count }) => sum + count, 0)
  for (const main of longer) {
    const alike = longer.filter(({ extra }) => isInside(extra, main.extra))
    const count = alike.reduce((sum, each) => sum + each.count, 0)
    if (alike.length === longer.length || count >= MAIN_MEANING * all)
      return new Set(alike.map(each => each.key))
  }
  return none
}

/** Returns the overlap of two names with the same head; undefined if it is below the minimum. */
const overlapOf = ({ weightOf, weightOfAll }: WordIndex, first: Name, second: Name): number | undefined => {
  if (first.head !== second.head) return undefined
  let shared = 0
  let common = 0
  for (const token of first.tokens) {
    if (!second.tokens.has(token)) continue
    shared += weightOf(token)
    common++
  }
  const overlap = shared / (weightOfAll(first.tokens) + weightOfAll(second.tokens) - shared)
  const isPart = common === first.tokens.size || common === second.tokens.size
  return overlap >= (isPart ? OVERLAP_MIN : BOTH_MIN) ? overlap : undefined
}

/** Creates the collection of a unit's matches, the most similar of each cluster. */
const createOffers = () => {
  const found = new Map<number, Match>()
  const offer = (cluster: number | undefined, similarity: number, why: Why) => {
    if (cluster === undefined) return
    const known = found.get(cluster)
    if (!known || similarity > known.similarity) found.set(cluster, { cluster, similarity, why })
  }
  return {
    offer,
    offerAll(clusters: readonly number[], similarity: number, why: Why) {
      for (const cluster of clusters) offer(cluster, similarity, why)
    },
    sorted: () => [...found.values()].sort((a, b) => b.similarity - a.similarity || a.cluster - b.cluster),
  }
}

/**
 * Compares entities by their words: equal words, unambiguous acronyms and initials, misspellings, unambiguous short
 * forms, and idf-weighted overlap.
 */
export const entityMatcher = (labels: ReadonlyMap<string, NamedLabel>): Matcher => {
  const index = createWordIndex(labels)
  const { formsOf, isShared, isUnambiguous, weightOf } = index
  const meanings = new Map<string, ReadonlySet<string>>()
  for (const [key, { name }] of labels) {
    const found = meaningsOf(labels, index, key, name)
    if (found.size > 0) meanings.set(key, found)
  }

  const clusterOf = new Map<string, number>()
  const byText = listsOf<string, number>()
  const byForm = listsOf<string, number>()
  const leaders = listsOf<string, string>()
  const shorter = listsOf<string, string>()
  for (const [short, longer] of meanings) for (const long of longer) shorter.add(long, short)

  /** Yields the leaders that share enough words with a name. */
  function* overlapping(name: Name): Generator<{ other: string; overlap: number }> {
    const seen = new Set<string>()
    const weight = index.weightOfAll(name.tokens)
    let left = weight
    for (const token of [...name.tokens].sort((a, b) => weightOf(b) - weightOf(a) || (a < b ? -1 : 1))) {
      // Names that share only the remaining words overlap less than the minimum.
      if (left < OVERLAP_MIN * weight || seen.size >= CANDIDATES_MAX) break
      left -= weightOf(token)
      if (!isShared(token)) continue
      const list = leaders.get(token)
      if (list.length > POSTINGS_MAX) continue
      for (const other of list) {
        if (seen.has(other)) continue
        seen.add(other)
        const second = labels.get(other)?.name
        const overlap = second && overlapOf(index, name, second)
        if (overlap !== undefined) yield { other, overlap }
      }
    }
  }

  return {
    add(unit, cluster, isLeader) {
      for (const key of unit.keys) {
        const name = labels.get(key)?.name
        if (!name) continue
        clusterOf.set(key, cluster)
        byText.add(name.text, cluster)
        if (name.words.length > 1) byText.add(name.words.join(''), cluster)
        byForm.add(name.words.join(' '), cluster)
        for (const form of formsOf(name)) byForm.add(`short ${form}`, cluster)
        if (isLeader) for (const token of name.tokens) if (isShared(token)) leaders.add(token, key)
      }
    },
    matchesOf(unit) {
      const { offer, offerAll, sorted } = createOffers()
      for (const key of unit.keys) {
        const name = labels.get(key)?.name
        if (!name || name.words.length === 0) continue
        offerAll(byText.get(name.text), 1, 'words')
        offerAll(byText.get(name.words.join('')), 1, 'words')
        const words = name.words.join(' ')
        if (isUnambiguous(words) && isShortForm(name)) offerAll(byForm.get(`short ${words}`), 0.9, 'acronym')
        for (const form of formsOf(name)) if (isUnambiguous(form)) offerAll(byForm.get(form), 0.9, 'acronym')
        const tokens = [...name.tokens]
        for (const [n, token] of tokens.entries()) {
          for (const other of index.near.get(token) ?? [])
            offerAll(byText.get(textOf(tokens.with(n, other))), 0.8, 'spelling')
        }
        for (const long of meanings.get(key) ?? []) offer(clusterOf.get(long), 0.7, 'words')
        for (const short of shorter.get(key)) offer(clusterOf.get(short), 0.7, 'words')
        for (const { other, overlap } of overlapping(name))
          offer(clusterOf.get(other), overlap * OVERLAP_WEIGHT, 'words')
      }
      return sorted()
    },
  }
}
