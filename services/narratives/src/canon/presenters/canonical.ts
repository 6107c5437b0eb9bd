import type { Rule } from '@iodine/canon'
import {
  type CanonicalDecision,
  type CanonicalDetail,
  type CanonicalNarrative,
  type CanonicalPart,
  type CanonicalSentence,
  type CanonicalVariant,
  firstWords,
  foldLabel,
  LIMITS,
  lastWords,
} from '@iodine/contracts'
import { dayOf } from '../../graph/models/edge.js'
import type { CanonDecisionDoc, CanonRuleDoc } from '../models/canon.js'
import type { CitedMentions } from '../queries/canon-sentences.js'
import { type ClusterView, type Mention, type NarrativeView, sentenceOf } from '../queries/narrative-view.js'
import type { SourceDates } from '../queries/source-dates.js'

export const presentPart = ({ id, label, labels }: ClusterView): CanonicalPart => ({
  cluster: id,
  label,
  members: labels.length,
})

type Timed = Pick<CanonicalNarrative, 'clock' | 'dated' | 'since' | 'last' | 'over_time'>

/**
 * Returns the times of a narrative's sentences: posting times of their sources; if none is known, times of analysis.
 */
const timesOf = ({ mentions }: NarrativeView, dates: SourceDates) => {
  const postedAt = ({ text }: Mention) => dates.get(text.src ?? '')
  const clock = mentions.some(postedAt) ? ('posted' as const) : ('analyzed' as const)
  const timeOf = clock === 'posted' ? postedAt : ({ text }: Mention) => text.created_at
  const all = mentions.flatMap(mention => timeOf(mention)?.getTime() ?? [])
  const sentences = new Map<string, number>()
  for (const mention of mentions) {
    const [sentence, time] = [sentenceOf(mention), timeOf(mention)]
    if (sentence !== null && time) sentences.set(sentence, time.getTime())
  }
  // Not `Math.min(...all)`: a narrative may have a hundred thousand texts.
  const [from, to] = all.reduce(
    ([least, most], time) => [Math.min(least, time), Math.max(most, time)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  )
  return { clock, from, to, sentences: [...sentences.values()] }
}

const presentTimes = ({ clock, from, to, sentences }: ReturnType<typeof timesOf>): Timed => {
  const [since, last] = [new Date(from), new Date(to)]
  const isOneDay = dayOf(since).getTime() === dayOf(last).getTime()
  const over_time = isOneDay ? [] : new Array<number>(LIMITS.overTimeSpans).fill(0)
  if (!isOneDay)
    for (const time of sentences) {
      const share = ((time - from) / (to - from)) * LIMITS.overTimeSpans
      const span = Math.min(LIMITS.overTimeSpans - 1, Math.floor(share))
      over_time[span] = (over_time[span] ?? 0) + 1
    }
  return {
    clock,
    dated: sentences.length,
    since: since.toISOString(),
    last: last.toISOString(),
    over_time,
  }
}

export const presentCanonical = (
  narrative: NarrativeView,
  dates: SourceDates,
  times = timesOf(narrative, dates),
): CanonicalNarrative => {
  const { id, subject, verb, object, sentences, sources, mentions } = narrative
  return {
    id,
    subject: presentPart(subject),
    verb: presentPart(verb),
    object: presentPart(object),
    sentences,
    sources,
    triplets: mentions.length,
    ...presentTimes(times),
    owners: null,
  }
}

/** Returns the variants of a part, with the number of the narrative's triplets that contain each in this part. */
const membersOf = ({ labels }: ClusterView, spellings: readonly string[]): CanonicalVariant[] => {
  const times = new Map<string, number>()
  for (const spelling of spellings) {
    const key = foldLabel(spelling)
    times.set(key, (times.get(key) ?? 0) + 1)
  }
  return labels
    .map(({ key, label, why }) => ({ key, label, times: times.get(key) ?? 0, why }))
    .sort((a, b) => b.times - a.times)
}

export const presentDetail = (narrative: NarrativeView, dates: SourceDates): CanonicalDetail => {
  const times = timesOf(narrative, dates)
  const days = new Map<string, number>()
  for (const time of times.sentences) {
    const day = dayOf(new Date(time)).toISOString().slice(0, 10)
    days.set(day, (days.get(day) ?? 0) + 1)
  }
  const sources = new Map<string | null, { sentences: Set<string>; triplets: number }>()
  for (const mention of narrative.mentions) {
    const { src } = mention.text
    const sentence = sentenceOf(mention)
    const source = sources.get(src) ?? { sentences: new Set(), triplets: 0 }
    sources.set(src, source)
    source.triplets++
    if (sentence !== null) source.sentences.add(sentence)
  }
  const { subject, verb, object, mentions } = narrative
  const turned = new Set(verb.labels.flatMap(label => (label.turned ? [label.key] : [])))
  const oriented = mentions.map(({ triplet }) =>
    turned.has(foldLabel(triplet.verb))
      ? { subject: triplet.object, object: triplet.subject }
      : { subject: triplet.subject, object: triplet.object },
  )
  return {
    ...presentCanonical(narrative, dates, times),
    members: {
      subject: membersOf(
        subject,
        oriented.map(each => each.subject),
      ),
      verb: membersOf(
        verb,
        mentions.map(({ triplet }) => triplet.verb),
      ),
      object: membersOf(
        object,
        oriented.map(each => each.object),
      ),
    },
    days: [...days].map(([day, sentences]) => ({ day, sentences })).sort((a, b) => (a.day < b.day ? -1 : 1)),
    by_source: [...sources]
      .map(([src, { sentences, triplets }]) => ({ src, sentences: sentences.size, triplets }))
      .sort(
        (a, b) =>
          b.sentences - a.sentences || b.triplets - a.triplets || (String(a.src) < String(b.src) ? -1 : 1),
      ),
  }
}

export const presentSentence = (
  { text, place, triplets }: CitedMentions,
  words: string,
  dates: SourceDates,
): CanonicalSentence => ({
  narrative_id: text._id.toHexString(),
  src: text.src,
  posted_at: dates.get(text.src ?? '')?.toISOString() ?? null,
  created_at: text.created_at.toISOString(),
  place,
  before: place ? lastWords(words.slice(0, place.start), LIMITS.excerptMax) : '',
  sentence: place ? words.slice(place.start, place.end) : '',
  after: firstWords(words.slice(place?.end ?? 0), LIMITS.excerptMax),
  text_length: words.length,
  triplets: triplets.map(({ id, subject, verb, object }) => ({ id, subject, verb, object })),
})

/** Maximum number of displayed labels on each side of a decision. */
const LABELS_MAX = 50

export const presentDecision = ({
  _id,
  created_at,
  action,
  changes,
  narrative,
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
  narrative: narrative ?? null,
  undone_at: undone_at?.toISOString() ?? null,
})

const NAMED_MAX = 60
const RULES_NAMED = 4

/** Returns a truncated label in quotes. Unicode isolates contain its writing direction. */
const named = (label: string): string => {
  const cut = label.length > NAMED_MAX ? `${label.slice(0, NAMED_MAX).toWellFormed()}…` : label
  return `“\u2068${cut}\u2069”`
}

/** Returns an error text with the rules that contradict a decision. @param existing stored rules, with their days */
export const presentConflict = (rules: readonly Rule[], existing: readonly CanonRuleDoc[]): string => {
  const stored = rules.flatMap(({ kind, a, b, relation }) =>
    existing.filter(rule => rule.kind === kind && rule.a === a && rule.b === b && rule.relation === relation),
  )
  if (stored.length === 0)
    return 'This decision contradicts itself: it would both merge and separate two variants'
  const shown = stored.slice(0, RULES_NAMED).map(({ a, b, relation, at }) => {
    const day = at.toISOString().slice(0, 10)
    return `${named(a)} ${relation === 'must' ? 'is the same as' : 'is not'} ${named(b)} (${day})`
  })
  const more = stored.length - shown.length
  return `This contradicts earlier decisions: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}. Undo them in the history first`
}
