import { type DomainEvent, excerptOf } from '@iodine/contracts'

export type CreationEvent = Extract<DomainEvent, { type: 'iod.created' | 'narrative.created' }>
export type IodCreated = Extract<DomainEvent, { type: 'iod.created' }>

const SHOWN_CHARS = 500
const HEADING_CHARS = 80
const EXCERPT_CHARS = 200

/**
 * Returns the title and description of a contribution in lists. IOD: its value and its description, at most 500
 * characters each. Narrative: the first line of its text, at most 80 characters, and an excerpt of 200 with the number
 * of triplets.
 */
export const describeContribution = (event: CreationEvent): { title: string; description: string } => {
  if (event.type === 'iod.created')
    return {
      title: excerptOf(event.data.value, SHOWN_CHARS),
      description: excerptOf(event.data.description, SHOWN_CHARS),
    }
  const { text, triplets } = event.data
  const heading = text.trim().split(/[\r\n]/, 1)[0] ?? ''
  const excerpt = text.trim().replace(/\s+/g, ' ')
  return {
    title: excerptOf(heading.trim(), HEADING_CHARS),
    description: `${excerptOf(excerpt, EXCERPT_CHARS)} · ${triplets} ${triplets === 1 ? 'triplet' : 'triplets'}`,
  }
}
