import {
  excerptOf,
  findFolded,
  foldLabel,
  type GraphMention,
  type GraphText,
  LIMITS,
  lastWords,
  sentenceSegmenter,
  type TextPlace,
} from '@iodine/contracts'
import type { NarrativeDoc, TripletDoc } from '../../narratives/models/narrative.js'
import type { ResolvedNode } from '../queries/graph-texts.js'

const ELLIPSIS = '…'

/** Characters kept before a label when a long sentence is cut. */
const LEAD_IN = 100

const cutAround = (sentence: string, parts: readonly string[]): string => {
  if (sentence.length <= LIMITS.sentenceMax) return sentence
  const places = parts.flatMap(part => findFolded(sentence, part.trim(), 1).map(([start]) => start))
  const lead = places.length > 0 ? lastWords(sentence.slice(0, Math.min(...places)), LEAD_IN) : ''
  const from = places.length > 0 ? Math.min(...places) - lead.length : 0
  const kept = excerptOf(sentence.slice(from), LIMITS.sentenceMax - ELLIPSIS.length)
  return from > 0 ? ELLIPSIS + kept : kept
}

export interface FoundSentence {
  /** Truncated around the triplet if long. */
  sentence: string
  /** Position of the whole sentence. */
  place: TextPlace
}

/**
 * Creates a finder of the sentence that contains most of a triplet: two parts with double weight, then a third. The
 * earlier sentence wins ties. The text is split and folded once for any number of triplets.
 */
export const sentenceFinder = (
  text: string,
): ((parts: readonly [string, string, string]) => FoundSentence) => {
  const all = Array.from(sentenceSegmenter.segment(text), ({ segment, index }) => ({
    start: index + segment.length - segment.trimStart().length,
    trimmed: segment.trim(),
    folded: foldLabel(segment),
  })).filter(({ folded }) => folded !== '')
  return parts => {
    const [from, to, third] = parts.map(foldLabel) as [string, string, string]
    let best = { start: 0, trimmed: '' }
    let most = -1
    for (const each of all) {
      const has = (label: string) => Number(each.folded.includes(label))
      const named = 2 * has(from) + 2 * has(to) + has(third)
      if (named <= most) continue
      best = each
      most = named
      if (named === 5) break
    }
    return {
      sentence: cutAround(best.trimmed, parts),
      place: { start: best.start, end: best.start + best.trimmed.length },
    }
  }
}

/** Presents a narrative that contains the link between two nodes, with the matching sentence. */
export const presentGraphText = (
  { _id, src, created_at, text, triplets }: NarrativeDoc,
  from: ResolvedNode,
  to: ResolvedNode,
): GraphText => {
  const startsAtVerb = [...from.ids].some(id => id.startsWith('verb:'))
  const saying = triplets.find(triplet => {
    const { subject, verb, object } = from.nodesOf(triplet)
    return startsAtVerb ? from.ids.has(verb) && to.ids.has(object) : from.ids.has(subject) && to.ids.has(verb)
  })
  const { subject = '', verb = '', object = '' } = saying ?? {}
  return {
    id: _id.toHexString(),
    src,
    created_at: created_at.toISOString(),
    ...sentenceFinder(text)(startsAtVerb ? [verb, object, subject] : [subject, verb, object]),
  }
}

/** Presents a narrative that contains a node, with the node's triplets and their sentences. */
export const presentMention = (
  { _id, src, created_at, text, triplets }: NarrativeDoc,
  node: ResolvedNode,
): GraphMention => {
  const merged = new Map<string, { triplet: TripletDoc; times: number }>()
  for (const triplet of triplets) {
    const { subject, verb, object } = node.nodesOf(triplet)
    if (![subject, verb, object].some(id => node.ids.has(id))) continue
    const key = JSON.stringify([subject, verb, object])
    const known = merged.get(key)
    if (known) known.times++
    else merged.set(key, { triplet, times: 1 })
  }
  const sentenceOf = sentenceFinder(text)
  return {
    id: _id.toHexString(),
    src,
    created_at: created_at.toISOString(),
    triplets: [...merged.values()]
      .slice(0, LIMITS.mentionTripletsMax)
      .map(({ triplet: { id, subject, verb, object }, times }) => ({
        id,
        subject,
        verb,
        object,
        times,
        ...sentenceOf([subject, object, verb]),
      })),
    omitted: Math.max(0, merged.size - LIMITS.mentionTripletsMax),
  }
}
