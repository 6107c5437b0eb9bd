import { PRODUCT_NAME } from '@iodine/contracts'
import { idOf } from './ids.js'
import type { MispEvent } from './misp/event.js'

/** Creator organisation of the events in Iodine's feed. */
const ORGANISATION = { name: PRODUCT_NAME, uuid: idOf('organisation', PRODUCT_NAME) }

type Event = MispEvent['Event']
type Attribute = Omit<Event['Attribute'][number], 'distribution'>
/** A deleted attribute of the event: MISP instances that pulled it remove it. */
interface DeletedAttribute {
  uuid: string
  type: string
  category: string
  value: string
  to_ids: false
  timestamp: string
  deleted: true
}

/** An event in a feed. */
export interface MispFeedEvent {
  Event: Omit<Event, 'distribution' | 'published' | 'Attribute'> & {
    published: true
    publish_timestamp: string
    Orgc: typeof ORGANISATION
    Attribute: (Attribute | DeletedAttribute)[]
  }
}

const isDeleted = (attribute: Attribute | DeletedAttribute): attribute is DeletedAttribute =>
  'deleted' in attribute

/** Removes the distribution: the instance that pulls a feed sets it. */
const withoutDistribution = <T extends { distribution: string }>({ distribution: _, ...rest }: T) => rest

/** Retention of deleted attributes in an event, in seconds. */
const DELETED_RETENTION_S = 90 * 86_400

/**
 * Returns the next version of a campaign's event in a feed. Removed attributes are marked as deleted, because MISP
 * keeps attributes that an event lacks. Each change increases the timestamp, which is all that pullers compare. Without
 * a change, returns `before`.
 * @param event null: the campaign is withdrawn
 * @param now Unix seconds
 */
export const nextFeedEvent = (
  event: Event | null,
  before: MispFeedEvent | null,
  now: number,
): MispFeedEvent | null => {
  const basis = event ? withoutDistribution(event) : before?.Event
  if (!basis) return null
  const current = event?.Attribute.map(withoutDistribution) ?? []
  const uuids = new Set(current.map(({ uuid }) => uuid))
  const deleted = (before?.Event.Attribute ?? [])
    .filter(({ uuid }) => !uuids.has(uuid))
    .map((attribute): DeletedAttribute => {
      if (isDeleted(attribute)) return attribute
      const { uuid, type, category, value } = attribute
      return { uuid, type, category, value, to_ids: false, timestamp: String(now), deleted: true }
    })
    .filter(({ timestamp }) => now - Number(timestamp) < DELETED_RETENTION_S)
  const { uuid, info, date, threat_level_id, analysis, Tag } = basis
  const at = (timestamp: string): MispFeedEvent => ({
    Event: {
      uuid,
      info,
      date,
      threat_level_id,
      analysis,
      published: true,
      timestamp,
      publish_timestamp: timestamp,
      Orgc: ORGANISATION,
      Tag: event ? Tag : Tag.filter(({ name }) => name.startsWith('tlp:')),
      Attribute: [...current, ...deleted],
      Object: event ? event.Object : [],
    },
  })
  if (before && JSON.stringify(at(before.Event.timestamp)) === JSON.stringify(before)) return before
  const version = Math.max(Number(basis.timestamp), ...(before ? [Number(before.Event.timestamp) + 1] : []))
  return at(String(version))
}

/** Returns an event's entry in a feed's manifest. */
export const manifestOf = ({
  Event: { Orgc, Tag, info, date, analysis, threat_level_id, timestamp },
}: MispFeedEvent) => ({ Orgc, Tag, info, date, analysis, threat_level_id, timestamp })

const INFO_MAX = 500
const TAGS_MAX = 100
const short = (given: unknown, max = 255): string =>
  typeof given === 'string' || typeof given === 'number' ? [...String(given)].slice(0, max).join('') : ''
const members = (given: unknown): Record<string, unknown> =>
  typeof given === 'object' && given !== null ? { ...given } : {}
const list = (given: unknown): Record<string, unknown>[] => (Array.isArray(given) ? given.map(members) : [])

/**
 * Returns the manifest entry of another tool's event, with long texts truncated, because the manifest contains all
 * events. Also returns the values for the feed's hashes.
 * @param event parsed JSON of any shape
 */
export const describeEvent = (event: unknown) => {
  const {
    Orgc,
    Tag,
    info,
    date,
    analysis,
    threat_level_id,
    timestamp,
    Attribute,
    Object: objects,
  } = members(event)
  const { name, uuid } = members(Orgc)
  const attributes = [...list(Attribute), ...list(objects).flatMap(each => list(each.Attribute))]
  const isPresent = ({ deleted, value }: Record<string, unknown>) =>
    deleted !== true && typeof value === 'string'
  return {
    manifest: {
      Orgc: { name: short(name), uuid: short(uuid, 36) },
      Tag: list(Tag)
        .slice(0, TAGS_MAX)
        .map(each => ({ name: short(each.name) })),
      info: short(info, INFO_MAX),
      date: short(date, 10),
      analysis: short(analysis, 1),
      threat_level_id: short(threat_level_id, 1),
      timestamp: short(timestamp, 15),
    },
    values: attributes.filter(isPresent).map(({ value }) => String(value)),
  }
}

/** Returns the values of an event for the feed's hashes. */
export const hashedValues = ({ Event }: MispFeedEvent): string[] => [
  ...Event.Attribute.filter(each => !isDeleted(each)).map(({ value }) => value),
  ...Event.Object.flatMap(({ Attribute }) => Attribute.map(({ value }) => value)),
]
