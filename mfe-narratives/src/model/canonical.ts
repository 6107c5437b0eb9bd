import {
  CANON_PARTS,
  type CanonicalDecision,
  type CanonicalDetail,
  type CanonicalNarrative,
  type CanonicalSentence,
  type CanonPart,
  type Narrative,
} from '@iodine/contracts'
import { formatAmount, formatLongDate } from '@iodine/ui'

type Parts = Pick<CanonicalNarrative, CanonPart>

/** Formats a narrative as 'giant mirrors · heat · Lake Varnel'. */
export const nameOf = ({ subject, verb, object }: Parts): string =>
  [subject, verb, object].map(({ label }) => label).join(' · ')

/** Formats the reach as '14 sentences from 9 sources'. */
export const reachText = ({
  sentences,
  sources,
}: Pick<CanonicalNarrative, 'sentences' | 'sources'>): string =>
  sources === 0
    ? formatAmount(sentences, 'sentence')
    : `${formatAmount(sentences, 'sentence')} from ${formatAmount(sources, 'source')}`

type Timed = Pick<CanonicalNarrative, 'clock' | 'since' | 'last' | 'dated' | 'sentences'>

/** Returns ' since October 12, 2026' for times of sources, ', analyzed on November 26, 2026' for times of analyses. */
export const sinceText = ({ clock, since }: Timed): string =>
  clock === 'posted' ? ` since ${formatLongDate(since)}` : `, analyzed on ${formatLongDate(since)}`

/** Returns a sentence about the origin of a narrative's times. */
export const clockText = ({ clock, dated, sentences }: Timed): string => {
  if (clock === 'analyzed') return 'Dates of analysis. Posting dates of the sources are unknown.'
  return dated === sentences
    ? 'Posting dates of the sources, from your records.'
    : `Posting dates of the sources, from your records. ${formatAmount(sentences - dated, 'sentence has', 'sentences have')} no posting date.`
}

/** Returns the pairs of labels that a merge of two narratives declares equal: those of their differing parts. */
export const sameAfterMerge = (one: Parts, two: Parts): { part: CanonPart; left: string; right: string }[] =>
  CANON_PARTS.filter(part => one[part].cluster !== two[part].cluster).map(part => ({
    part,
    left: one[part].label,
    right: two[part].label,
  }))

/** Returns the id of the graph node of a narrative's subject, which is named by the smallest key of its variants. */
export const graphNodeOf = ({ members }: Pick<CanonicalDetail, 'members'>): string => {
  const [smallest = ''] = members.subject.map(({ key }) => key).sort((a, b) => (a < b ? -1 : 1))
  return `entity:${smallest}`
}

/** Returns the triplets of a sentence as those of its narrative, to look up their IODs. */
export const narrativeOf = ({ narrative_id, src, triplets }: CanonicalSentence): Narrative => ({
  id: narrative_id,
  text: '',
  src,
  triplets: triplets.map(triplet => ({ ...triplet, narrative_data: { src } })),
})

const SHOWN_MAX = 4

/** Returns labels in quotes; of many, the first ones and the number of others. */
export const quoted = (labels: readonly string[]): string => {
  const shown = labels.slice(0, SHOWN_MAX).map(label => `“${label}”`)
  const more = labels.length - shown.length
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
}

/** Describes a decision, with one line per change, and one for the narrative that it is limited to. */
export const linesOf = ({ action, changes, narrative }: CanonicalDecision): string[] => [
  ...changes.map(({ left, right }) =>
    action === 'merge'
      ? `${quoted(left)} is the same as ${quoted(right)}`
      : `${quoted(left)} ${left.length === 1 ? 'is' : 'are'} not the same as ${quoted(right)}`,
  ),
  ...(narrative ? [`Only in ${narrative.join(' · ')}`] : []),
]
