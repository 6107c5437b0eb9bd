import type { OpenNarrative } from '@iodine/contracts'
import { extractionJobId } from '../commands/settle.js'
import type { NarrativeDoc } from '../models/narrative.js'
import { presentOpenNarrative } from '../presenters/narrative.js'
import type { Store } from '../store.js'

/** As many as a screen can show; whoever has more under way sees the newest. */
const LISTED_MAX = 100

const isProgress = (value: unknown): value is NonNullable<OpenNarrative['progress']> =>
  typeof value === 'object' && value !== null && 'done' in value && 'parts' in value

/** A user's texts under way; how far they are is told by their jobs, and not at all while Redis is down. */
export const listOpenNarratives = async (
  { narratives, service }: Store,
  userId: string,
): Promise<OpenNarrative[]> => {
  const open = await narratives
    .find({ user_id: userId, state: 'open' })
    .sort({ created_at: -1, _id: -1 })
    .limit(LISTED_MAX)
    .lean<NarrativeDoc[]>()
  return Promise.all(
    open.map(async narrative => {
      const job = await service.queues
        .queue('extraction')
        .getJob(extractionJobId(narrative))
        .catch(() => undefined)
      return presentOpenNarrative(narrative, isProgress(job?.progress) ? job.progress : null)
    }),
  )
}
