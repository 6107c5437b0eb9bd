import { foldLabel, type GraphText, LIMITS } from '@iodine/contracts'
import { type NarrativeDoc, nodeIdsOf } from '../models/narrative.js'

const ELLIPSIS = '…'

/** Characters kept before a label when a long sentence is cut. */
const LEAD_IN = 100

const cutAround = (sentence: string, parts: readonly string[]): string => {
  if (sentence.length <= LIMITS.sentenceMax) return sentence
  const lower = sentence.toLowerCase()
  const places = parts.map(part => lower.indexOf(part.trim().toLowerCase())).filter(place => place >= 0)
  const start = Math.max(0, Math.min(...places, sentence.length) - LEAD_IN)
  const from = places.length > 0 ? start : 0
  const cut = sentence.slice(from, from + LIMITS.sentenceMax - 2 * ELLIPSIS.length)
  const ends = from + cut.length < sentence.length ? ELLIPSIS : ''
  // Removes half a surrogate pair at either end.
  return `${from > 0 ? ELLIPSIS : ''}${cut.toWellFormed().replace(/^\uFFFD|\uFFFD$/g, '')}${ends}`
}

const sentences = new Intl.Segmenter(undefined, { granularity: 'sentence' })

/**
 * Returns the sentence that contains most of `parts`: a link's two ends, then the triplet's third part. The
 * ends weigh most; the earlier sentence wins ties.
 */
export const sentenceWith = (text: string, parts: readonly [string, string, string]): string => {
  const folded = parts.map(foldLabel)
  let best = ''
  let most = -1
  for (const { segment } of sentences.segment(text)) {
    const place = foldLabel(segment)
    if (place === '') continue
    const [from, to, third] = folded.map(label => Number(place.includes(label))) as [number, number, number]
    const named = 2 * from + 2 * to + third
    if (named <= most) continue
    best = segment.trim()
    most = named
    if (named === 5) break
  }
  return cutAround(best, parts)
}

/** A narrative that contains the link between two nodes, with the matching sentence. */
export const presentGraphText = (
  { _id, src, created_at, text, triplets }: NarrativeDoc,
  from: string,
  to: string,
): GraphText => {
  const startsAtVerb = from.startsWith('verb:')
  const saying = triplets.find(triplet => {
    const { subject, verb, object } = nodeIdsOf(triplet)
    return startsAtVerb ? verb === from && object === to : subject === from && verb === to
  })
  const { subject = '', verb = '', object = '' } = saying ?? {}
  return {
    id: _id.toHexString(),
    src,
    created_at: created_at.toISOString(),
    sentence: sentenceWith(text, startsAtVerb ? [verb, object, subject] : [subject, verb, object]),
  }
}
