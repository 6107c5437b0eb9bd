import type { Tlp } from '@iodine/contracts'
import { idOf } from '../ids.js'
import { isObject } from '../json/is-object.js'
import { INHERIT, tlpTag } from '../misp/event.js'

/** Name of the attachment that contains STIX objects; the name of the second one ends in `.2`, and so on. */
const NAME = 'iodine-stix.json'
const NAMED = /^iodine-stix\.json(?:\.(\d{1,4}))?$/
/** Bytes of an attachment: below the limit of an object, and a multiple of three, so that base64 needs no padding. */
const ATTACHMENT_BYTES = 2_097_150

/**
 * Embeds STIX objects unchanged in attributes of a MISP event, in JSON: the concatenated attachments are a bundle.
 * @param owner id of the owning entity, from which the attributes' ids are derived
 */
export async function* toAttachments(
  owner: string,
  objects: AsyncIterable<Uint8Array>,
  { timestamp, tlp }: { timestamp: string; tlp: Tlp | null },
): AsyncGenerator<string> {
  let n = 0
  let waiting: Uint8Array[] = []
  let bytes = 0
  const attribute = (data: Buffer) => {
    n++
    const text = JSON.stringify({
      uuid: idOf('stix', owner, String(n)),
      type: 'attachment',
      category: 'External analysis',
      to_ids: false,
      value: n === 1 ? NAME : `${NAME}.${n}`,
      comment: 'STIX objects of other tools, as they are',
      timestamp,
      distribution: INHERIT,
      ...(tlp && { Tag: [tlpTag(tlp)] }),
      data: data.toString('base64'),
    })
    return n === 1 ? text : `,${text}`
  }
  async function* bundle(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`{"type":"bundle","id":"bundle--${idOf('stix', owner)}","objects":[`)
    let isFirst = true
    for await (const object of objects) {
      if (!isFirst) yield Buffer.from(',')
      isFirst = false
      yield object
    }
    yield Buffer.from(']}')
  }
  for await (const some of bundle()) {
    waiting.push(some)
    bytes += some.length
    if (bytes < ATTACHMENT_BYTES) continue
    const all = Buffer.concat(waiting)
    let at = 0
    for (; all.length - at >= ATTACHMENT_BYTES; at += ATTACHMENT_BYTES)
      yield attribute(all.subarray(at, at + ATTACHMENT_BYTES))
    waiting = [all.subarray(at)]
    bytes = all.length - at
  }
  if (bytes > 0) yield attribute(Buffer.concat(waiting))
}

/** Returns the part number and the base64 of embedded STIX objects; undefined for other attributes. */
export const packedStix = (attribute: unknown): { n: number; data: string } | undefined => {
  if (!isObject(attribute) || attribute.type !== 'attachment') return undefined
  const { value, data, deleted } = attribute
  if (typeof value !== 'string' || typeof data !== 'string' || deleted === true) return undefined
  const found = NAMED.exec(value)
  return found ? { n: Number(found[1] ?? 1), data } : undefined
}
