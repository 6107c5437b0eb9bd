import type { DomainEvent } from '@iodine/contracts'

export type CreationEvent = Extract<DomainEvent, { type: 'iod.created' | 'narrative.created' }>
export type IodCreated = Extract<DomainEvent, { type: 'iod.created' }>

const SHOWN_CHARS = 500
const HEADING_CHARS = 80
const EXCERPT_CHARS = 200

/** At most `max` characters; truncated text ends with '…'. */
const clip = (text: string, max: number): string => {
  const points = Array.from(text)
  return points.length > max ? `${points.slice(0, max - 1).join('')}…` : text
}

/**
 * Title and description of a contribution in lists. An IOD: its value and its description, at most 500
 * characters each. A narrative: the first line of its text, at most 80 characters, and an excerpt of 200 with
 * the number of triplets.
 */
export const describeContribution = (event: CreationEvent): { title: string; description: string } => {
  if (event.type === 'iod.created')
    return {
      title: clip(event.data.value, SHOWN_CHARS),
      description: clip(event.data.description, SHOWN_CHARS),
    }
  const { text, triplets } = event.data
  const heading = text.trim().split(/[\r\n]/, 1)[0] ?? ''
  const excerpt = text.trim().replace(/\s+/g, ' ')
  return {
    title: clip(heading.trim(), HEADING_CHARS),
    description: `${clip(excerpt, EXCERPT_CHARS)} · ${triplets} ${triplets === 1 ? 'triplet' : 'triplets'}`,
  }
}
