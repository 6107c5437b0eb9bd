import type { TextPlace } from '@iodine/contracts'
import { invalid } from '@iodine/service-kit'
import type { TripletDoc } from '../../narratives/models/narrative.js'
import type { NarrativeView, TextRef } from './narrative-view.js'

/** The triplets of one sentence, or all triplets of a text without a sentence. */
export interface CitedMentions {
  text: TextRef
  place: TextPlace | null
  triplets: TripletDoc[]
}

const NO_POSITION = -1
const startOf = ({ place }: CitedMentions): number => place?.start ?? NO_POSITION

/**
 * Returns the sentences of a narrative: newest text first, then by position.
 * @param source null: texts without source
 * @param times of the analysis
 */
export const sentencesOf = (
  { mentions }: NarrativeView,
  source: string | null | undefined,
  times: { $gte?: Date; $lt?: Date } = {},
): CitedMentions[] => {
  const found = new Map<string, CitedMentions>()
  for (const { text, triplet } of mentions) {
    if (source !== undefined && text.src !== source) continue
    if (times.$gte && text.created_at < times.$gte) continue
    if (times.$lt && text.created_at >= times.$lt) continue
    const { cite } = triplet
    const name = `${text._id.toHexString()} ${cite?.start ?? NO_POSITION}`
    const known = found.get(name)
    if (known) {
      known.triplets.push(triplet)
      if (cite && known.place) known.place.end = Math.max(known.place.end, cite.end)
    } else
      found.set(name, {
        text,
        place: cite ? { start: cite.start, end: cite.end } : null,
        triplets: [triplet],
      })
  }
  return [...found.values()].sort(
    (a, b) =>
      b.text.created_at.getTime() - a.text.created_at.getTime() ||
      (a.text._id.toHexString() < b.text._id.toHexString() ? 1 : a.text._id.equals(b.text._id) ? 0 : -1) ||
      startOf(a) - startOf(b),
  )
}

const CURSOR = /^(\d{1,15})\.([0-9a-f]{24})\.(-?\d{1,6})$/

export const cursorOf = (sentence: CitedMentions): string =>
  Buffer.from(
    `${sentence.text.created_at.getTime()}.${sentence.text._id.toHexString()}.${startOf(sentence)}`,
  ).toString('base64url')

/** Returns the sentences after a cursor. @throws HttpError 422 for a malformed cursor */
export const sentencesAfter = (all: CitedMentions[], cursor: string | undefined): CitedMentions[] => {
  if (cursor === undefined) return all
  const [, time, id = '', start] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  if (time === undefined) throw invalid(['cursor: is malformed'])
  return all.filter(sentence => {
    const byTime = sentence.text.created_at.getTime() - Number(time)
    if (byTime !== 0) return byTime < 0
    const own = sentence.text._id.toHexString()
    return own === id ? startOf(sentence) > Number(start) : own < id
  })
}
