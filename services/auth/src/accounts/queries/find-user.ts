import { unauthenticated } from '@iodine/service-kit'
import type { AuthModels } from '../../models.js'
import type { UserDoc } from '../models/user.js'

/**
 * Returns the caller's account.
 * @throws HttpError 401 if it is deleted
 */
export const findUser = async ({ users }: Pick<AuthModels, 'users'>, id: string): Promise<UserDoc> => {
  const user = await users.findById(id).lean<UserDoc>()
  if (!user) throw unauthenticated()
  return user
}
