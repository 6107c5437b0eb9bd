import { type BodyOf, type ResponseOf, recordsInternal } from '@iodine/contracts'
import type { Peers } from '@iodine/service-kit'

const TIMEOUT_MS = 10_000

export type Quoting = NonNullable<BodyOf<typeof recordsInternal.openRecords>['quoting']>

/**
 * Returns those of the records that the user may see now.
 * @throws HttpError 503 while the collector is down
 */
export const openRecords = (
  peers: Peers,
  user_id: string,
  ids: string[],
  { excerpt = 0, quoting }: { excerpt?: number; quoting?: Quoting } = {},
): Promise<ResponseOf<typeof recordsInternal.openRecords>> =>
  peers.call('collector', recordsInternal.openRecords, {
    body: { user_id, ids, excerpt, ...(quoting && { quoting }) },
    ms: TIMEOUT_MS,
  })

/**
 * Returns by record id whether the record's text contains the whole searched text (`whole`) or is a part of it
 * (`part`).
 */
export type FindQuotes = (quoting: Quoting, ids: string[]) => Promise<Map<string, 'whole' | 'part' | null>>

/** Creates the lookup of quotes among records that a user may see. */
export const createFindQuotes =
  (peers: Peers, userId: string): FindQuotes =>
  async (quoting, ids) => {
    const open = await openRecords(peers, userId, ids, { quoting })
    return new Map(open.map(({ id, quotes }) => [id, quotes]))
  }
