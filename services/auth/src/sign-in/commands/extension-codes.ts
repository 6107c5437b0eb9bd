import { DETAILS, LIMITS } from '@iodine/contracts'
import { badRequest, hashOf } from '@iodine/service-kit'
import { newCode, normalCode } from '../../codes.js'
import type { AuthContext } from '../../context.js'
import { openSession } from '../../sessions/commands/sessions.js'
import type { ExtensionCodeDoc } from '../models/extension-code.js'

/** Creates a code for the user and replaces an earlier one. */
export const generateExtensionCode = async (
  { models }: AuthContext,
  userId: string,
): Promise<{ code: string; expires_at: string }> => {
  const code = newCode()
  const expires_at = new Date(Date.now() + LIMITS.extensionCodeMs)
  await models.extensionCodes.updateOne(
    { _id: userId },
    { $set: { code_hash: hashOf(code), expires_at } },
    { upsert: true },
  )
  return { code, expires_at: expires_at.toISOString() }
}

/** Consumes a code and returns a token with the collector's scope. Throws 400 unless the code is live. */
export const redeemExtensionCode = async (
  context: AuthContext,
  typed: string,
  userAgent: string | undefined,
): Promise<{ access_token: string }> => {
  const found = await context.models.extensionCodes
    .findOneAndDelete({ code_hash: hashOf(normalCode(typed)), expires_at: { $gt: new Date() } })
    .lean<ExtensionCodeDoc>()
  if (!found) throw badRequest(DETAILS.badExtensionCode)
  const access_token = await openSession(context, {
    userId: found._id.toHexString(),
    scope: 'collector',
    by: 'code',
    userAgent,
  })
  if (access_token === null) throw badRequest(DETAILS.badExtensionCode)
  return { access_token }
}
