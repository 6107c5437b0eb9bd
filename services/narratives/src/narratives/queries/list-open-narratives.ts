import type { OpenNarrative } from '@iodine/contracts'
import type { Store } from '../../store.js'
import { extractionJobId, type NarrativeDoc } from '../models/narrative.js'
import { presentOpenNarrative } from '../presenters/narrative.js'

const isProgress = (value: unknown): value is NonNullable<OpenNarrative['progress']> =>
  typeof value === 'object' && value !== null && 'done' in value && 'parts' in value

/** Presents open narratives with the progress of their jobs, which is null while Redis is down. */
export const presentOpenNarratives = (
  { service }: Store,
  open: readonly NarrativeDoc[],
): Promise<OpenNarrative[]> =>
  Promise.all(
    open.map(async narrative => {
      const job = await service.queues
        .queue('extraction')
        .getJob(extractionJobId(narrative))
        .catch(() => undefined)
      return presentOpenNarrative(narrative, isProgress(job?.progress) ? job.progress : null)
    }),
  )
