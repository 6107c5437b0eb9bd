import { postRecord, recordOfAddress } from '../records/of-draft.js'
import { draftOf } from '../tables/fields.js'
import type { RowContext, RowResult, TableFormat } from '../tables/table.js'
import { type Address, addressOf, platformOf, telegramUrl } from '../text/addresses.js'
import { exactId } from '../text/ids.js'
import { isAddressSource } from './address-source.js'

/** Returns the address of a row by its id, if the platform is one of the other kinds. */
const addressOfId = (platform: string, id: string, handle: string | undefined): Address | undefined => {
  if (platform === 'tiktok') return { source: 'tiktok', id, ...(handle && { handle }) }
  if (platform !== 'telegram' || !handle) return undefined
  return { source: 'telegram', id, username: handle, url: telegramUrl(handle, id) }
}

const read = (
  cells: Parameters<TableFormat['read']>[0],
  { answers, origin, warnings }: RowContext,
): RowResult => {
  const rules = { zone: answers.timezone, format: answers.date_format }
  const row = draftOf(cells, answers.mapping ?? {}, rules, warnings)
  const handle = row.author?.handle?.replace(/^@/, '')
  const draft = { ...row, type: typeOf(row.type), author: { ...row.author, handle } }
  const written = draft.url
  const address = written === undefined ? undefined : addressOf(written)
  if (address && isAddressSource(address)) return recordOfAddress(address, draft, origin)
  const platform = platformOf(draft.platform ?? answers.platform ?? '')
  if (draft.id === undefined) return address && 'skipped' in address ? address : { skipped: 'no-id' }
  const id = exactId(draft.id)
  if (id === undefined) return { skipped: 'rounded-id' }
  if (platform === undefined) return { skipped: address ? 'no-address' : 'unknown-platform' }
  const other = addressOfId(platform, id, handle)
  if (other) return recordOfAddress(other, draft, origin)
  if (platform === 'telegram') return { skipped: 'no-address' }
  return postRecord({ ...draft, platform, id, url: undefined }, origin)
}

const typeOf = (written: string | undefined) =>
  (['post', 'comment', 'repost', 'video'] as const).find(type => type === written?.toLowerCase())

/** A table whose columns the user chooses. */
export const chosenColumns: TableFormat = { by: 'csv', hasHeader: () => true, read }
