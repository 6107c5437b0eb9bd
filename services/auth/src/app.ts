import { LIMITS } from '@iodine/contracts'
import { createRateLimit, type ServiceDeps, type StoreService, startStoreService } from '@iodine/service-kit'
import { createLocalJWKSet } from 'jose'
import { userChanges } from './commands/announce-user.js'
import { createAuditAppender } from './commands/append-audit.js'
import { userDeletions } from './commands/close-account.js'
import { dataExports } from './commands/export-data.js'
import { startKeys } from './commands/keys.js'
import { outgoingMails } from './commands/send-mail.js'
import { readSessionKeys } from './commands/sessions.js'
import type { AuthConfig } from './config.js'
import type { AuthContext } from './context.js'
import { lastActiveAt } from './migrations/0001-last-active-at.js'
import { oneSpellingOfAddresses } from './migrations/0002-one-spelling-of-addresses.js'
import { outbox } from './migrations/0003-outbox.js'
import { createModels } from './models/index.js'
import { addAccountRoutes } from './routes/accounts.js'
import { addAdminRoutes } from './routes/admin.js'
import { addAuditRoutes } from './routes/audit.js'
import { addAuthRoutes } from './routes/auth.js'
import { addInternalRoutes } from './routes/internal.js'
import { addPeopleRoutes } from './routes/people.js'
import { addProfileRoutes } from './routes/profile.js'
import { addSystemRoutes } from './routes/system.js'

/** Accounts: sign-in by mailed links, sessions, profiles, beta codes. */
export const createApp = async (config: AuthConfig, deps?: ServiceDeps): Promise<StoreService> => {
  const keys = await readSessionKeys(config.JWT_PRIVATE_KEY)
  const tokenKeys = createLocalJWKSet(keys.jwks)
  let checkKeys = async (): Promise<void> => {}
  const build = (service: StoreService) => {
    if (config.RATE_LIMITS === 'off') service.log.warn('rate limits are off')
    const models = createModels(service.mongo)
    const limit = (name: string, points: number, seconds: number) =>
      createRateLimit(service.redis, {
        name,
        points,
        seconds,
        prefix: config.REDIS_PREFIX,
        enabled: config.RATE_LIMITS === 'on',
      })
    const limits = {
      email: limit('sign-in-email', 5, 60),
      // Per address, regardless of the number of clients, so that other people cannot fill a mailbox.
      mails: limit('sign-in-mails', 20, 3_600),
      ip: limit('sign-in-ip', 30, 300),
      // Each mails two addresses, one of which anybody's.
      addressChanges: limit('address-changes', LIMITS.addressChangesADay, 24 * 3_600),
    }
    const { outbox } = service
    const self = () => context
    const context: AuthContext = {
      config,
      service,
      models,
      keys,
      limits,
      appendAudit: createAuditAppender(models),
      changedUsers: outbox.kind('user.changed', userChanges(self)),
      deletions: outbox.kind('user.deleted', userDeletions(self)),
      exports: outbox.kind('data-export', dataExports(self)),
      mails: outbox.kind('mail', outgoingMails(self)),
    }
    checkKeys = () => startKeys(context)
    addAuthRoutes(context)
    addProfileRoutes(context)
    addAdminRoutes(context)
    addAuditRoutes(context)
    addPeopleRoutes(context)
    addSystemRoutes(context)
    addAccountRoutes(context)
    addInternalRoutes(context)
  }
  const service = await startStoreService('auth', config, { ...deps, tokenKeys }, build, [
    lastActiveAt,
    oneSpellingOfAddresses,
    outbox,
  ])
  try {
    await checkKeys()
    return service
  } catch (error) {
    await service.close()
    throw error
  }
}
