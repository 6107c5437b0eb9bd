import type { Tlp } from '@iodine/contracts'
import { idOf } from '../ids.js'
import { AUTHOR } from '../stix/object.js'
import { asKey } from '../stix/read.js'
import { toMarking } from '../tlp.js'

/** Type of the objects that contain a MISP event. */
const EVENT = 'x-misp-event'
/** Maximum UTF-16 units of an event in one object. */
const PART_MAX = 500_000

/** Returns an object of a custom type, in JSON. Property names follow misp-stix. */
const custom = (type: string, id: string, timestamp: string, tlp: Tlp, properties: object) => {
  const seconds = Number(timestamp)
  const at = new Date(
    Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), 4e9) * 1_000 : 0,
  ).toISOString()
  return JSON.stringify({
    type,
    spec_version: '2.1',
    id: `${type}--${id}`,
    created: at,
    modified: at,
    created_by_ref: AUTHOR.id,
    object_marking_refs: [toMarking(tlp).id],
    ...properties,
  })
}

/**
 * Embeds a MISP event unchanged in STIX objects, in JSON: the texts `x_misp_event`, concatenated in the order of
 * `x_misp_part`, are the event.
 * @param uuid of the event, or another identifier
 * @param bytes the event in UTF-8
 */
export async function* eventObjects(
  uuid: string,
  version: string,
  tlp: Tlp,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let text = ''
  let part = 0
  const object = (x_misp_event: string) => {
    const n = part++
    return custom(EVENT, idOf('misp-event', uuid, String(n)), version, tlp, {
      x_misp_uuid: uuid,
      x_misp_part: n,
      x_misp_event,
    })
  }
  for await (const some of bytes) {
    text += decoder.decode(some, { stream: true })
    while (text.length > PART_MAX) {
      // Do not split a surrogate pair.
      const code = text.charCodeAt(PART_MAX - 1)
      const at = code >= 0xd800 && code < 0xdc00 ? PART_MAX - 1 : PART_MAX
      yield object(text.slice(0, at))
      text = text.slice(at)
    }
  }
  yield object(text + decoder.decode())
}

/**
 * Returns misp-stix's `x-misp-attribute` for an attribute without STIX equivalent, in JSON; undefined without a value.
 */
export const attributeObject = (
  attribute: Readonly<Record<string, unknown>>,
  uuid: string,
  version: string,
  tlp: Tlp,
): string | undefined => {
  const { type, category, value, comment, to_ids } = attribute
  if (typeof type !== 'string' || typeof value !== 'string') return undefined
  const labels = [
    `misp:type="${type}"`,
    ...(typeof category === 'string' ? [`misp:category="${category}"`] : []),
  ]
  return custom('x-misp-attribute', idOf('misp-attribute', uuid), version, tlp, {
    labels: to_ids === true ? [...labels, 'misp:to_ids="true"'] : labels,
    x_misp_type: type,
    ...(typeof category === 'string' && { x_misp_category: category }),
    x_misp_value: value,
    ...(typeof comment === 'string' && comment !== '' && { x_misp_comment: comment }),
  })
}

/** Returns whether Iodine created an object from MISP content. */
export const isMadeOfMisp = ({ type, created_by_ref }: Readonly<Record<string, unknown>>): boolean =>
  created_by_ref === AUTHOR.id && (type === EVENT || type === 'x-misp-attribute')

/** Returns the part of an event that an object contains; undefined for other objects. */
export const packedEvent = (
  object: Readonly<Record<string, unknown>>,
): { uuid: string; n: number; text: string } | undefined => {
  const { type, x_misp_uuid, x_misp_part: n, x_misp_event: text } = object
  if (type !== EVENT || !isMadeOfMisp(object) || !asKey(x_misp_uuid)) return undefined
  return Number.isSafeInteger(n) && typeof text === 'string'
    ? { uuid: asKey(x_misp_uuid), n: Number(n), text }
    : undefined
}
