import { connectMongo } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { newCode } from './codes.js'
import type { AuthConfig } from './config.js'
import { createModels } from './models.js'
import { isAdminEmail } from './sessions/policies/admin.js'
import { addLink } from './sign-in/commands/request-magic-link.js'

/**
 * Creates the token of a sign-in link for a lower-cased address without sending a mail, for the operator who has
 * access to the database. Where new accounts need a beta code, the link contains one.
 */
export const makeSignInToken = async (
  config: Pick<AuthConfig, 'MONGODB_URI' | 'MONGODB_PREFIX' | 'BETA_REQUIRED' | 'ADMIN_EMAILS'>,
  email: string,
): Promise<string> => {
  const mongo = await connectMongo(config.MONGODB_URI, `${config.MONGODB_PREFIX}_auth`)
  try {
    const models = createModels(mongo)
    const needsCode =
      config.BETA_REQUIRED && !isAdminEmail(config, email) && !(await models.users.exists({ email }))
    if (!needsCode) return (await addLink(models, email, null)).token
    const _id = new Types.ObjectId()
    await models.betaCodes.create({ _id, code: newCode(), email, used: false, created_at: new Date() })
    return (await addLink(models, email, _id)).token
  } finally {
    await mongo.close()
  }
}
