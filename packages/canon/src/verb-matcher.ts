import type { Matcher } from './link.js'
import { listsOf } from './lists.js'
import { formOf, type VerbForm } from './verbs.js'

/** Compares verbs by their lemmas; negation and modality must be equal. */
export const verbMatcher = (forms: ReadonlyMap<string, VerbForm>): Matcher => {
  const leaders = listsOf<string, number>()
  const signatureOf = (key: string) => {
    const { mood, lemma } = forms.get(key) ?? formOf(key)
    return `${mood}|${lemma}`
  }
  return {
    add(unit, cluster, isLeader) {
      if (isLeader) for (const key of unit.keys) leaders.add(signatureOf(key), cluster)
    },
    matchesOf(unit) {
      const found = new Set(unit.keys.flatMap(key => leaders.get(signatureOf(key))))
      return [...found].sort((a, b) => a - b).map(cluster => ({ cluster, similarity: 1, why: 'lemma' }))
    },
  }
}
