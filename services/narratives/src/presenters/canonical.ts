import type { Rule } from '@iodine/canon'
import {
  type CanonicalDecision,
  type CanonicalDetail,
  type CanonicalNarrative,
  type CanonicalSentence,
  LIMITS,
} from '@iodine/contracts'
import type { CanonDecisionDoc, CanonRuleDoc } from '../models/canon.js'
import { dayOf } from '../models/edge.js'
import type { CitedMentions } from '../queries/canon-sentences.js'
import { type CanonView, type SaidCluster, type SaidNarrative, sentenceOf } from '../queries/canon-view.js'

const presentPart = ({ id, label, labels }: SaidCluster) => ({ cluster: id, label, members: labels.length })

/** How many sentences there are in each of equal spans of time. */
const overTime = ({ mentions }: SaidNarrative, { from, to }: CanonView['span']): number[] => {
  const spans = new Array<number>(LIMITS.overTimeSpans).fill(0)
  const seen = new Set<string>()
  for (const mention of mentions) {
    const sentence = sentenceOf(mention)
    if (sentence === null || seen.has(sentence)) continue
    seen.add(sentence)
    const share = to > from ? (mention.text.created_at.getTime() - from) / (to - from) : 0
    const span = Math.min(LIMITS.overTimeSpans - 1, Math.floor(share * LIMITS.overTimeSpans))
    spans[span] = (spans[span] ?? 0) + 1
  }
  return spans
}

export const presentCanonical = (narrative: SaidNarrative, { span }: CanonView): CanonicalNarrative => {
  const { id, subject, verb, object, sentences, sources, since, last, mentions } = narrative
  return {
    id,
    subject: presentPart(subject),
    verb: presentPart(verb),
    object: presentPart(object),
    sentences,
    sources,
    since: since.toISOString(),
    last: last.toISOString(),
    triplets: mentions.length,
    over_time: overTime(narrative, span),
    owners: null,
  }
}

const membersOf = ({ labels }: SaidCluster) =>
  labels.map(({ key, label, times, why }) => ({ key, label, times, why }))

export const presentDetail = (narrative: SaidNarrative, view: CanonView): CanonicalDetail => {
  const days = new Map<string, Set<string>>()
  const sources = new Map<string | null, { sentences: Set<string>; triplets: number }>()
  for (const mention of narrative.mentions) {
    const { src, created_at } = mention.text
    const sentence = sentenceOf(mention)
    const source = sources.get(src) ?? { sentences: new Set(), triplets: 0 }
    sources.set(src, source)
    source.triplets++
    if (sentence === null) continue
    source.sentences.add(sentence)
    const day = dayOf(created_at).toISOString().slice(0, 10)
    days.set(day, (days.get(day) ?? new Set()).add(sentence))
  }
  const { subject, verb, object } = narrative
  return {
    ...presentCanonical(narrative, view),
    members: { subject: membersOf(subject), verb: membersOf(verb), object: membersOf(object) },
    days: [...days]
      .map(([day, sentences]) => ({ day, sentences: sentences.size }))
      .sort((a, b) => (a.day < b.day ? -1 : 1)),
    by_source: [...sources]
      .map(([src, { sentences, triplets }]) => ({ src, sentences: sentences.size, triplets }))
      .sort(
        (a, b) =>
          b.sentences - a.sentences || b.triplets - a.triplets || (String(a.src) < String(b.src) ? -1 : 1),
      ),
  }
}

/** A part of a text, in whole characters. */
const slice = (text: string, start: number, end: number): string =>
  text
    .slice(Math.max(0, start), end)
    .toWellFormed()
    .replace(/^\uFFFD|\uFFFD$/g, '')

export const presentSentence = (
  { text, place, triplets }: CitedMentions,
  words: string,
): CanonicalSentence => ({
  narrative_id: text._id.toHexString(),
  src: text.src,
  created_at: text.created_at.toISOString(),
  place,
  before: place ? slice(words, place.start - LIMITS.excerptMax, place.start) : '',
  sentence: place ? words.slice(place.start, place.end) : '',
  after: place ? slice(words, place.end, place.end + LIMITS.excerptMax) : slice(words, 0, LIMITS.excerptMax),
  triplets: triplets.map(({ id, subject, verb, object }) => ({ id, subject, verb, object })),
})

/** Labels of a decision that are shown. */
const LABELS_MAX = 50

export const presentDecision = ({
  _id,
  created_at,
  action,
  changes,
  undone_at,
}: CanonDecisionDoc): CanonicalDecision => ({
  id: _id.toHexString(),
  at: created_at.toISOString(),
  action,
  changes: changes.map(({ kind, left, right }) => ({
    kind,
    left: left.slice(0, LABELS_MAX),
    right: right.slice(0, LABELS_MAX),
  })),
  undone_at: undone_at?.toISOString() ?? null,
})

const NAMED_MAX = 60
const RULES_NAMED = 4

/** A label in quotes, cut, whose direction of writing changes nothing around it (Unicode's isolates). */
const named = (label: string): string => {
  const cut = label.length > NAMED_MAX ? `${label.slice(0, NAMED_MAX).toWellFormed()}…` : label
  return `“\u2068${cut}\u2069”`
}

/** Names the rules that contradict a decision. @param standing the rules as they are stored, with their days */
export const presentConflict = (rules: readonly Rule[], standing: readonly CanonRuleDoc[]): string => {
  const stored = rules.flatMap(({ kind, a, b, relation }) =>
    standing.filter(rule => rule.kind === kind && rule.a === a && rule.b === b && rule.relation === relation),
  )
  if (stored.length === 0)
    return 'This contradicts itself: a label would have to be with another and apart from it'
  const shown = stored.slice(0, RULES_NAMED).map(({ a, b, relation, at }) => {
    const day = at.toISOString().slice(0, 10)
    return `${named(a)} ${relation === 'must' ? 'is the same as' : 'is not'} ${named(b)} (${day})`
  })
  const more = stored.length - shown.length
  return `This contradicts what you decided: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}. Undo that in the history first`
}
