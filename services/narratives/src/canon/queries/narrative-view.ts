import { createHash } from 'node:crypto'
import { formOf } from '@iodine/canon'
import type { CanonReason } from '@iodine/contracts'
import { compareText } from '@iodine/contracts'
import type { NarrativeDoc, TripletDoc } from '../../narratives/models/narrative.js'

/** A narrative document without its text. */
export type TextRef = Pick<NarrativeDoc, '_id' | 'src' | 'created_at'>

/** A label of a cluster, as it occurs in the user's texts. */
export interface Variant {
  key: string
  /** The most frequent spelling; of equally frequent ones the first by code units. */
  label: string
  times: number
  why: CanonReason | null
  turned: boolean
}

/** A cluster with the variants that occur in the user's texts. */
export interface ClusterView {
  id: string
  label: string
  /** Most frequent first. */
  labels: Variant[]
  /** The keys, one per line, for searches. */
  keys: string
  /** Ids of other clusters whose variants this part also has, in this narrative only. */
  joined?: string[]
}

export interface Mention {
  text: TextRef
  triplet: TripletDoc
}

export interface NarrativeView {
  id: string
  subject: ClusterView
  verb: ClusterView
  object: ClusterView
  /** Newest text first. */
  mentions: Mention[]
  sentences: number
  sources: number
  since: Date
  last: Date
}

/** Returns the id of a canonical narrative: a hash of its clusters' ids. */
export const narrativeIdOf = (subject: string, verb: string, object: string): string =>
  createHash('sha256').update(`${subject} ${verb} ${object}`).digest('hex').slice(0, 24)

/** Returns a narrative's reach, the sort key of lists: sentences times sources. */
export const reachOf = ({ sentences, sources }: Pick<NarrativeView, 'sentences' | 'sources'>): number =>
  sentences * Math.max(1, sources)

export const byReach = (a: NarrativeView, b: NarrativeView): number =>
  reachOf(b) - reachOf(a) || b.mentions.length - a.mentions.length || compareText(a.id, b.id)

/** Returns a mention's sentence key, equal for triplets of one sentence. Null without a sentence. */
export const sentenceOf = ({ text, triplet: { cite } }: Mention): string | null =>
  cite ? `${text._id.toHexString()} ${cite.start}` : null

/** Returns the key that represents a cluster in rules: that of the displayed label. */
export const leadOf = ({ labels, label }: ClusterView): string =>
  (labels.find(each => each.label === label) ?? labels[0])?.key ?? ''

/** Returns whether all variants of a verb are passive. Such a verb exchanges no subject and object. */
export const isPassive = ({ labels }: ClusterView): boolean => labels.every(({ key }) => formOf(key).turned)

/** Counts the sentences and sources of a narrative's mentions, and sets their first and last time of analysis. */
export const countMentions = (narrative: NarrativeView): void => {
  const { mentions } = narrative
  narrative.sentences = new Set(mentions.flatMap(mention => sentenceOf(mention) ?? [])).size
  narrative.sources = new Set(mentions.flatMap(({ text }) => text.src ?? [])).size
  narrative.since = mentions.at(-1)?.text.created_at ?? narrative.since
  narrative.last = mentions[0]?.text.created_at ?? narrative.last
}
