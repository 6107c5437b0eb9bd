import { type Extraction, LIMITS } from '@iodine/contracts'
import nlp from 'compromise'

type Triplet = Extraction['triplets'][number]

interface Term {
  text: string
  pre: string
  post: string
  tags: string[]
}

const has = (term: Term | undefined, tag: string): boolean => term?.tags.includes(tag) ?? false
const JOINING = new Set(['and', 'or', '&'])
const PAUSE = /[,;:.!?…—–]|\s-\s/
const RELATIVE = /^(who|which|that)$/i

/** Returns true if the next verb, which has no subject, takes the previous subject. */
const carriesOn = (term: Term): boolean => has(term, 'Conjunction') || RELATIVE.test(term.text)

/** Returns true for a finite verb; `to hide` and `hiding` belong to the preceding phrase. */
const isPredicate = (term: Term | undefined): boolean =>
  has(term, 'Verb') && !has(term, 'Infinitive') && !has(term, 'Gerund')

/**
 * Returns the index of a verb that the tagger mistook for a plural noun, in a sentence without any verb: `pays` after a
 * singular noun and before a name, an article or a pronoun. -1 if there is none.
 */
const mistaggedVerb = (terms: readonly Term[]): number =>
  terms.some(term => has(term, 'Verb'))
    ? -1
    : terms.findIndex((term, n) => {
        const [before, after] = [terms[n - 1], terms[n + 1]]
        return (
          has(term, 'Plural') &&
          /^\p{Ll}{2,}s$/u.test(term.text) &&
          has(before, 'Noun') &&
          !has(before, 'Plural') &&
          !PAUSE.test(before?.post ?? '') &&
          !PAUSE.test(term.post) &&
          ['ProperNoun', 'Determiner', 'Pronoun', 'Possessive'].some(tag => has(after, tag))
        )
      })

/** Returns the number of terms in the object, which ends at the start of the next clause. */
const objectLength = (terms: readonly Term[]): number => {
  for (const [n, term] of terms.entries()) {
    if (isPredicate(term)) return n
    if (has(term, 'Conjunction')) {
      const more = terms.slice(n + 1)
      const pause = more.findIndex(({ post }) => PAUSE.test(post))
      const clause = pause < 0 ? more : more.slice(0, pause + 1)
      if (!JOINING.has(term.text.toLowerCase()) || clause.some(isPredicate)) return n
    }
    if (PAUSE.test(term.post)) return n + 1
  }
  return terms.length
}

const phrase = (terms: readonly Term[]): string =>
  terms
    .map(({ text }) => text)
    // The second half of a contraction has no text.
    .filter(Boolean)
    .join(' ')
    .slice(0, LIMITS.tripletPartMax)
    .trim()

/**
 * Extracts subject–verb–object triplets from English text by part-of-speech rules; quality is far below a model's. A
 * verb without a subject takes the previous subject of the sentence. A verb without an object yields no triplet.
 */
export const ruleTriplets = (text: string): Triplet[] => {
  const triplets: Triplet[] = []
  for (const sentence of nlp(text)
    .sentences()
    .json({ terms: { tags: true } }) as { terms: Term[] }[]) {
    const { terms } = sentence
    const mistagged = terms[mistaggedVerb(terms)]
    if (mistagged) mistagged.tags = ['Verb', 'PresentTense']
    let subject = ''
    let from = 0
    for (let n = 0; n < terms.length; n++) {
      const term = terms[n]
      if (!has(term, 'Verb') && !has(term, 'Auxiliary') && !has(term, 'Negative')) continue
      let end = n + 1
      const verbal = () => {
        const next = terms[end]
        if (PAUSE.test(terms[end - 1]?.post ?? '')) return false
        if (has(next, 'Verb') || has(next, 'Auxiliary') || has(next, 'Negative')) return true
        const adverb = has(next, 'Adverb') || next?.text.toLowerCase() === 'to'
        return adverb && (has(terms[end + 1], 'Verb') || has(terms[end + 1], 'Negative'))
      }
      while (verbal()) end++
      const before = terms.slice(from, n)
      const carried = before.length > 0 ? before.some(carriesOn) : !PAUSE.test(terms[n - 1]?.post ?? '')
      subject = subjectOf(before) || (carried ? subject : '')
      const rest = terms.slice(end)
      const length = objectLength(rest)
      const object = phrase(rest.slice(0, length))
      const verb = phrase(terms.slice(n, end))
      if (subject && object && verb) triplets.push({ subject, verb, object })
      from = end + length
      n = from - 1
      if (RELATIVE.test(terms[from]?.text ?? '')) subject = object
    }
  }
  return triplets.slice(0, LIMITS.tripletsMax)
}

/** Returns the last noun phrase before a verb. */
const subjectOf = (terms: readonly Term[]): string => {
  let end = terms.length
  while (end > 0 && !has(terms[end - 1], 'Noun')) end--
  let start = end
  while (start > 0) {
    const before = terms[start - 1] as Term
    const of = /^(of|from)$/i.test(before.text)
    const noun = ['Noun', 'Determiner', 'Adjective', 'Value', 'Possessive'].some(tag => has(before, tag))
    if ((!noun && !of) || (start < end && PAUSE.test(before.post))) break
    start--
  }
  return phrase(terms.slice(start, end))
}
