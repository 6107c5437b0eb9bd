import { LIMITS } from '@iodine/contracts'
import { notFound } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { SightingModels } from '../../models.js'
import type { RunDoc } from '../models/run.js'

/** Returns a run of the user. @throws HttpError 404 for another user's run */
export const findRun = async ({ runs }: SightingModels, userId: string, id: string): Promise<RunDoc> => {
  const doc = await runs.findOne({ _id: id, owner: new Types.ObjectId(userId) }).lean()
  if (!doc) throw notFound()
  return doc
}

/** Returns the user's runs, newest first. */
export const findRuns = ({ runs }: SightingModels, userId: string): Promise<RunDoc[]> =>
  runs
    .find({ owner: new Types.ObjectId(userId) })
    .sort({ created_at: -1 })
    .limit(LIMITS.coordinationRunsKept)
    .lean()
