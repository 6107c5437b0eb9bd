import { randomBytes } from 'node:crypto'
import type { BodyOf, notificationsApi } from '@iodine/contracts'
import { notFound } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { Models } from '../../models.js'
import type { PersonDoc } from '../models/person.js'
import { nextDigest } from '../policies/digest-time.js'
import { presentSettings } from '../presenters/settings.js'

const TOKEN_BYTES = 32

/** Changes the settings of a user. Mails contain only notifications from the time on at which they were switched on. */
export const updateSettings = async (
  { people }: Models,
  userId: string,
  changes: BodyOf<typeof notificationsApi.updateSettings>,
): Promise<PersonDoc> => {
  const _id = new Types.ObjectId(userId)
  const before = await people.findById(_id).lean<PersonDoc>()
  const { mail, time_zone } = { ...presentSettings(before), ...changes }
  const now = new Date()
  const digest_at = nextDigest(mail, time_zone, now)
  const isSwitchedOn = mail !== 'off' && (before?.mail ?? 'off') === 'off'
  return people
    .findOneAndUpdate(
      { _id },
      {
        $set: {
          ...changes,
          ...(digest_at && { digest_at }),
          ...(isSwitchedOn && { mailed_at: now }),
          ...(!before?.unsubscribe && { unsubscribe: randomBytes(TOKEN_BYTES).toString('base64url') }),
        },
        ...(!digest_at && { $unset: { digest_at: 1 } }),
      },
      { upsert: true, returnDocument: 'after' },
    )
    .orFail()
    .lean<PersonDoc>()
}

/** Ends the mails of the user with this token, and replaces the token. Throws 404 for an unknown token. */
export const unsubscribe = async ({ people }: Models, token: string): Promise<void> => {
  const { matchedCount } = await people.updateOne(
    { unsubscribe: token },
    { $set: { mail: 'off' }, $unset: { digest_at: 1 } },
  )
  if (matchedCount === 0) throw notFound()
}
