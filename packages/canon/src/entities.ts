import type { Match, Matcher, Why } from './link.js'
import { isDescription, mayMean, type Name, shortForms, textOf } from './names.js'
import { nearWords } from './near-words.js'

/** Names with one word that are compared; a word of more names says little. */
const POSTINGS_MAX = 200
/** Leaders that one name is compared with by overlap. */
const CANDIDATES_MAX = 200
/** Words whose misspellings are looked for, in the most labels first. */
const NEAR_WORDS_MAX = 50_000
const OVERLAP_MIN = 0.5
/** Overlap of two names that each have a word of their own. */
const BOTH_MIN = 0.7
/** Overlap says less than a short form. */
const OVERLAP_WEIGHT = 0.69
/** Part of what texts say that one meaning of a short name needs, if it has several. */
const MAIN_MEANING = 0.8

/** A label of an entity with how often texts say it. */
export interface NamedLabel {
  name: Name
  count: number
}

const listsOf = <K, V>() => {
  const lists = new Map<K, V[]>()
  return {
    get: (key: K): readonly V[] => lists.get(key) ?? [],
    add: (key: K, value: V) => {
      const list = lists.get(key)
      if (!list) lists.set(key, [value])
      // What is told twice in a row is known.
      else if (list.at(-1) !== value) list.push(value)
    },
  }
}

const isInside = (a: ReadonlySet<string>, b: ReadonlySet<string>) => {
  if (a.size > b.size) return false
  for (const token of a) if (!b.has(token)) return false
  return true
}

/**
 * Compares entities by their words: the same words, an acronym or initials that stand for one name alone, a
 * misspelling, a short form that only one longer name can be meant by, and idf-weighted overlap.
 */
export const entityMatcher = (labels: ReadonlyMap<string, NamedLabel>): Matcher => {
  const df = new Map<string, number>()
  const byToken = listsOf<string, string>()
  /** What may be a short form: labels as they are. */
  const written = new Set<string>()
  for (const { name } of labels.values()) written.add(name.words.join(' '))
  /** The one name that a short form stands for; null for several. */
  const meant = new Map<string, string | null>()
  const formsOf = (name: Name) => shortForms(name.words).filter(form => written.has(form))
  for (const { name } of labels.values())
    for (const token of name.tokens) df.set(token, (df.get(token) ?? 0) + 1)
  /** A word of one label alone leads to no other. */
  const isShared = (token: string) => (df.get(token) ?? 0) > 1
  for (const [key, { name }] of labels) {
    for (const token of name.tokens) if (isShared(token)) byToken.add(token, key)
    for (const form of formsOf(name)) {
      const known = meant.get(form)
      meant.set(form, known === undefined || known === name.text ? name.text : null)
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

  const isClear = (form: string) => typeof meant.get(form) === 'string'
  /** Whether a name looks like a short form of another. */
  const isShortForm = ({ words, isAcronym }: Name) =>
    words.length > 1 || (words[0]?.length ?? 0) > 2 || isAcronym

  /** The longer names that a short one may be a form of: all with one meaning, or of its main meaning. */
  const meaningsOf = (key: string, name: Name): ReadonlySet<string> => {
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
      const said = alike.reduce((sum, { count }) => sum + count, 0)
      if (alike.length === longer.length || said >= MAIN_MEANING * all)
        return new Set(alike.map(each => each.key))
    }
    return none
  }
  const meanings = new Map<string, ReadonlySet<string>>()
  for (const [key, { name }] of labels) {
    const found = meaningsOf(key, name)
    if (found.size > 0) meanings.set(key, found)
  }

  const clusterOf = new Map<string, number>()
  const byText = listsOf<string, number>()
  const byForm = listsOf<string, number>()
  const leaders = listsOf<string, string>()
  const shorter = listsOf<string, string>()
  for (const [short, longer] of meanings) for (const long of longer) shorter.add(long, short)

  /** Overlap of two names with the same head; undefined if it is too little. */
  const overlapOf = (first: Name, second: Name): number | undefined => {
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
      const found = new Map<number, Match>()
      const offer = (cluster: number | undefined, similarity: number, why: Why) => {
        if (cluster === undefined) return
        const known = found.get(cluster)
        if (!known || similarity > known.similarity) found.set(cluster, { cluster, similarity, why })
      }
      const offerAll = (clusters: readonly number[], similarity: number, why: Why) => {
        for (const cluster of clusters) offer(cluster, similarity, why)
      }
      for (const key of unit.keys) {
        const name = labels.get(key)?.name
        if (!name || name.words.length === 0) continue
        offerAll(byText.get(name.text), 1, 'words')
        offerAll(byText.get(name.words.join('')), 1, 'words')
        const words = name.words.join(' ')
        if (isClear(words) && isShortForm(name)) offerAll(byForm.get(`short ${words}`), 0.9, 'acronym')
        for (const form of formsOf(name)) if (isClear(form)) offerAll(byForm.get(form), 0.9, 'acronym')
        const tokens = [...name.tokens]
        for (const [n, token] of tokens.entries()) {
          for (const other of near.get(token) ?? [])
            offerAll(byText.get(textOf(tokens.with(n, other))), 0.8, 'spelling')
        }
        for (const long of meanings.get(key) ?? []) offer(clusterOf.get(long), 0.7, 'words')
        for (const short of shorter.get(key)) offer(clusterOf.get(short), 0.7, 'words')
        const seen = new Set<string>()
        const weight = weightOfAll(tokens)
        let left = weight
        for (const token of tokens.sort((a, b) => weightOf(b) - weightOf(a) || (a < b ? -1 : 1))) {
          // Names that share only the remaining words overlap too little.
          if (left < OVERLAP_MIN * weight || seen.size >= CANDIDATES_MAX) break
          left -= weightOf(token)
          if (!isShared(token)) continue
          const list = leaders.get(token)
          if (list.length > POSTINGS_MAX) continue
          for (const other of list) {
            if (seen.has(other)) continue
            seen.add(other)
            const second = labels.get(other)?.name
            const overlap = second && overlapOf(name, second)
            if (overlap !== undefined) offer(clusterOf.get(other), overlap * OVERLAP_WEIGHT, 'words')
          }
        }
      }
      return [...found.values()].sort((a, b) => b.similarity - a.similarity || a.cluster - b.cluster)
    },
  }
}
