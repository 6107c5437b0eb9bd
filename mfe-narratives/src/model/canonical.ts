import {
  CANON_PARTS,
  type CanonicalDecision,
  type CanonicalDetail,
  type CanonicalNarrative,
  type CanonicalSentence,
  type CanonPart,
  type Narrative,
} from '@iodine/contracts'
import { formatLongDate } from '@iodine/ui'

type Parts = Pick<CanonicalNarrative, CanonPart>

const number = (count: number, one: string, many: string) =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`

/** 'giant mirrors · heat · Lake Varnel' */
export const nameOf = ({ subject, verb, object }: Parts): string =>
  [subject, verb, object].map(({ label }) => label).join(' · ')

/** '14 sentences of 9 sources' */
export const reachText = ({
  sentences,
  sources,
}: Pick<CanonicalNarrative, 'sentences' | 'sources'>): string =>
  sources === 0
    ? number(sentences, 'sentence', 'sentences')
    : `${number(sentences, 'sentence', 'sentences')} of ${number(sources, 'source', 'sources')}`

type Timed = Pick<CanonicalNarrative, 'clock' | 'since' | 'last' | 'dated' | 'sentences'>

/** ' since October 12, 2026', as the sources say; ', analyzed on November 26, 2026' where none says it. */
export const sinceText = ({ clock, since }: Timed): string =>
  clock === 'posted' ? ` since ${formatLongDate(since)}` : `, analyzed on ${formatLongDate(since)}`

/** What the times of a narrative are. */
export const clockText = ({ clock, dated, sentences }: Timed): string => {
  if (clock === 'analyzed')
    return 'By when the texts were analyzed: no source of them is a record with a time.'
  return dated === sentences
    ? 'By when the sources were posted, as your records say.'
    : `By when the sources were posted, as your records say. Of ${number(sentences - dated, 'sentence', 'sentences')} the records say no time.`
}

/** What merging two narratives says is the same: the labels of their parts that differ. */
export const sameAfterMerge = (one: Parts, two: Parts): { part: CanonPart; left: string; right: string }[] =>
  CANON_PARTS.filter(part => one[part].cluster !== two[part].cluster).map(part => ({
    part,
    left: one[part].label,
    right: two[part].label,
  }))

/** The node of the canonical graph that stands for a narrative's subject: it is named by the smallest key. */
export const graphNodeOf = ({ members }: Pick<CanonicalDetail, 'members'>): string => {
  const [smallest = ''] = members.subject.map(({ key }) => key).sort((a, b) => (a < b ? -1 : 1))
  return `entity:${smallest}`
}

/** The triplets of a sentence as those of its narrative, for the marks of IODs. */
export const narrativeOf = ({ narrative_id, src, triplets }: CanonicalSentence): Narrative => ({
  id: narrative_id,
  text: '',
  src,
  triplets: triplets.map(triplet => ({ ...triplet, narrative_data: { src } })),
})

const SHOWN_MAX = 4

/** Labels in quotes; of many, the first and how many more. */
export const quoted = (labels: readonly string[]): string => {
  const shown = labels.slice(0, SHOWN_MAX).map(label => `“${label}”`)
  const more = labels.length - shown.length
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
}

/** What a decision has done, one line a change. */
export const linesOf = ({ action, changes }: CanonicalDecision): string[] =>
  changes.map(({ left, right }) =>
    action === 'merge'
      ? `${quoted(left)} is the same as ${quoted(right)}`
      : `${quoted(left)} ${left.length === 1 ? 'is' : 'are'} not ${quoted(right)}`,
  )
