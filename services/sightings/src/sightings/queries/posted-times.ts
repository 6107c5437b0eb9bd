import { type BodyOf, canonicalLink, type ResponseOf, type sightingsInternal } from '@iodine/contracts'
import { Types } from 'mongoose'
import type { SightingModels } from '../../models.js'

/** Returns the posting times of URLs from the user's own records. The earliest of several claims counts. */
export const postedTimes = async (
  { sightings }: SightingModels,
  { user_id, addresses }: BodyOf<typeof sightingsInternal.postedTimes>,
): Promise<ResponseOf<typeof sightingsInternal.postedTimes>> => {
  const links = new Map(
    addresses.map(address => [address, canonicalLink(address) ?? canonicalLink(`https://${address}`)]),
  )
  const docs = await sightings
    .find(
      {
        self: { $in: [...new Set(links.values())].filter(link => link !== null) },
        owner: new Types.ObjectId(user_id),
        posted_at: { $ne: null },
      },
      { self: 1, posted_at: 1, fetched_at: 1 },
    )
    .lean()
  const times = new Map<string, Date>()
  for (const { self, posted_at, fetched_at } of docs) {
    // Ignores claimed times after the fetch.
    if (!self || !posted_at || posted_at > fetched_at) continue
    const known = times.get(self)
    if (!known || posted_at < known) times.set(self, posted_at)
  }
  return [...links].flatMap(([address, link]) => {
    const posted_at = times.get(link ?? '')
    return posted_at ? [{ address, posted_at: posted_at.toISOString() }] : []
  })
}
