import type { Connection } from '@iodine/service-kit'
import { createBetaCodeModel } from './beta-code.js'
import { createDeletionModel } from './deletion.js'
import { createExtensionCodeModel } from './extension-code.js'
import { createMagicLinkModel } from './magic-link.js'
import { createMailModel } from './mail.js'
import { createSessionModel } from './session.js'
import { createUserModel } from './user.js'

export const createModels = (mongo: Connection) => ({
  users: createUserModel(mongo),
  links: createMagicLinkModel(mongo),
  mails: createMailModel(mongo),
  sessions: createSessionModel(mongo),
  extensionCodes: createExtensionCodeModel(mongo),
  betaCodes: createBetaCodeModel(mongo),
  deletions: createDeletionModel(mongo),
})
export type AuthModels = ReturnType<typeof createModels>
