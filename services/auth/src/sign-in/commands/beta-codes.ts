import type { Types } from 'mongoose'
import { normalCode } from '../../codes.js'
import type { AuthModels } from '../../models.js'

// A code stays valid for the address that used it: a crash may have prevented the account's creation.
const goodFor = (email: string) => ({
  email: { $in: [null, email] },
  $or: [{ used: false }, { used_by: email }],
})

/** Returns the id of the typed code if the address may use it, else null. */
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

/** Consumes the code for the address's new account. Returns false if another address has consumed it. */
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
