import { LIMITS } from '@iodine/contracts'
import type { Store } from '../../models.js'

/** Interval of the sweep for due publications. */
export const SWEEP_MS = 600_000
/** Interval of comparing a feed with its IODs, whose votes and comments do not change the campaign. */
const COMPARE_MS = 3_600_000

/** Enqueues publications that time makes due: those to compare, and those with expired revoked objects. */
export const sweepPublications = async ({
  publications,
  published,
  work,
}: Pick<Store, 'publications' | 'published' | 'work'>): Promise<void> => {
  const before = (ms: number) => ({ $lt: new Date(Date.now() - ms) })
  const due = await Promise.all([
    publications.distinct('_id', { state: 'published', at: before(COMPARE_MS) }),
    publications.distinct('_id', { state: 'withdrawn', at: before(LIMITS.revokedMs) }),
    published.distinct('campaign_id', { revoked: true, added: before(LIMITS.revokedMs) }),
  ])
  await work.publications.addAll([...new Set(due.flat().map(String))].map(id => ({ id })))
}
