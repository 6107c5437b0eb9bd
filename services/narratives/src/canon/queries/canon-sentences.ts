import type { TextPlace } from '@iodine/contracts'
import { invalid } from '@iodine/service-kit'
import type { TripletDoc } from '../../narratives/models/narrative.js'
import type { SaidNarrative, TextRef } from './canon-view.js'

/** The triplets that one sentence says; of a text's triplets that no sentence is found of, all together. */
export interface CitedMentions {
  text: TextRef
  place: TextPlace | null
  triplets: TripletDoc[]
}

const NOWHERE = -1
const startOf = ({ place }: CitedMentions): number => place?.start ?? NOWHERE

/** The sentences of a narrative: newest text first, in their order in it. @param source null: texts without one */
export const sentencesOf = (
  { mentions }: SaidNarrative,
  source: string | null | undefined,
): CitedMentions[] => {
  const found = new Map<string, CitedMentions>()
  for (const { text, triplet } of mentions) {
    if (source !== undefined && text.src !== source) continue
    const { cite } = triplet
    const name = `${text._id.toHexString()} ${cite?.start ?? NOWHERE}`
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

/** The sentences after a cursor. Throws 422. */
export const sentencesAfter = (all: CitedMentions[], cursor: string | undefined): CitedMentions[] => {
  if (cursor === undefined) return all
  const [, time, id = '', start] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  if (time === undefined) throw invalid(['cursor: is not one of ours'])
  return all.filter(sentence => {
    const byTime = sentence.text.created_at.getTime() - Number(time)
    if (byTime !== 0) return byTime < 0
    const own = sentence.text._id.toHexString()
    return own === id ? startOf(sentence) > Number(start) : own < id
  })
}
