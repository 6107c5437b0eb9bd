import { CANON_KINDS } from '@iodine/contracts'
import type { ClientSession, Types } from 'mongoose'
import type { NarrativeModels } from '../../models.js'
import type { LabelRuleDoc } from '../models/canon.js'

/** Returns the rules about labels, oldest first. */
export const labelRules = (
  { canonRules }: Pick<NarrativeModels, 'canonRules'>,
  user_id: Types.ObjectId,
  session?: ClientSession,
): Promise<LabelRuleDoc[]> =>
  canonRules
    .find({ user_id, kind: { $in: CANON_KINDS } }, null, session && { session })
    .sort({ _id: 1 })
    .lean<LabelRuleDoc[]>()
