import type { Types } from 'mongoose'
import type { AuthModels } from '../models/index.js'
import { normalCode } from './codes.js'

// A code that this address used without getting its account (a crash in between) is still good for it.
const goodFor = (email: string) => ({
  email: { $in: [null, email] },
  $or: [{ used: false }, { used_by: email }],
})

/** The code as typed, if it is good for the address. */
export const codeFor = async (
  { betaCodes }: AuthModels,
  email: string,
  typed: string,
): Promise<Types.ObjectId | null> => {
  const found = await betaCodes
    .findOne({ code: normalCode(typed), ...goodFor(email) })
    .select('_id')
    .lean()
  return found?._id ?? null
}

/** Uses the code up for the address's new account; false when somebody else was first. */
export const consumeCode = async (
  { betaCodes }: AuthModels,
  email: string,
  code: Types.ObjectId | null,
): Promise<boolean> => {
  if (!code) return false
  const { matchedCount } = await betaCodes.updateOne(
    { _id: code, ...goodFor(email) },
    { $set: { used: true, used_by: email, used_at: new Date() } },
  )
  return matchedCount === 1
}
