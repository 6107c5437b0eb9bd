import { toTaxiiTime } from '@iodine/exchange'
import { bytesOf } from '../../bytes.js'
import type { FeedRow } from '../queries/feed-selection.js'

/** Returns the publication times of the first and the last row of a page; undefined for an empty page. */
export const timesOf = (rows: readonly Pick<FeedRow, 'added'>[]): [string, string] | undefined => {
  const [first, last] = [rows[0], rows.at(-1)]
  return first && last && [toTaxiiTime(first.added), toTaxiiTime(last.added)]
}

/** Returns the manifest entry of an object (TAXII 2.1, 5.3.1). The time of publication replaces a missing version. */
export const manifestEntry = ({ stix_id, version, spec, added }: FeedRow) => ({
  id: stix_id,
  date_added: toTaxiiTime(added),
  version: version || toTaxiiTime(added),
  media_type: `application/stix+json;version=${spec}`,
})

/** Returns a page of a list. TAXII omits empty lists, like STIX (2.1, Data Types). */
export const listPage = (
  name: 'objects' | 'versions',
  entries: readonly unknown[],
  next: string | undefined,
) => ({
  more: next !== undefined,
  next,
  ...(entries.length > 0 && { [name]: entries }),
})

/** Returns a TAXII envelope (3.7) with the objects' unchanged bytes. */
export const envelope = ({ rows, next }: { rows: readonly FeedRow[]; next: string | undefined }): Buffer => {
  const head = next === undefined ? '{"more":false' : `{"more":true,"next":${JSON.stringify(next)}`
  if (rows.length === 0) return Buffer.from(`${head}}`)
  const pieces = rows.flatMap(({ raw }, n) => [Buffer.from(n === 0 ? '' : ','), bytesOf(raw)])
  return Buffer.concat([Buffer.from(`${head},"objects":[`), ...pieces, Buffer.from(']}')])
}
