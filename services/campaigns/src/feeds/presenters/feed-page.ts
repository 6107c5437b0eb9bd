import { toTaxiiTime } from '@iodine/exchange'
import { bytesOf } from '../../bytes.js'
import type { FeedRow } from '../queries/feed-selection.js'

/** When the first and the last row of a page were published; undefined for an empty one. */
export const timesOf = (rows: readonly Pick<FeedRow, 'added'>[]): [string, string] | undefined => {
  const [first, last] = [rows[0], rows.at(-1)]
  return first && last && [toTaxiiTime(first.added), toTaxiiTime(last.added)]
}

/** What a manifest says of an object (TAXII 2.1, 5.3.1). Of one without versions the time of its publication counts. */
export const manifestEntry = ({ stix_id, version, spec, added }: FeedRow) => ({
  id: stix_id,
  date_added: toTaxiiTime(added),
  version: version || toTaxiiTime(added),
  media_type: `application/stix+json;version=${spec}`,
})

/** A page of a list: TAXII leaves out lists without entries, as STIX does (2.1, Data Types). */
export const listPage = (
  name: 'objects' | 'versions',
  entries: readonly unknown[],
  next: string | undefined,
) => ({
  more: next !== undefined,
  next,
  ...(entries.length > 0 && { [name]: entries }),
})

/** An envelope of TAXII (3.7) with the objects' bytes as they are. */
export const envelope = ({ rows, next }: { rows: readonly FeedRow[]; next: string | undefined }): Buffer => {
  const head = next === undefined ? '{"more":false' : `{"more":true,"next":${JSON.stringify(next)}`
  if (rows.length === 0) return Buffer.from(`${head}}`)
  const pieces = rows.flatMap(({ raw }, n) => [Buffer.from(n === 0 ? '' : ','), bytesOf(raw)])
  return Buffer.concat([Buffer.from(`${head},"objects":[`), ...pieces, Buffer.from(']}')])
}
