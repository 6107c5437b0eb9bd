import { type ServiceDeps, type StoreService, startStoreService } from '@iodine/service-kit'
import { createLocalJWKSet } from 'jose'
import { addAccountRoutes } from './accounts/routes/accounts.js'
import { addInternalRoutes } from './accounts/routes/internal.js'
import { addOwnAccountRoutes } from './accounts/routes/own-account.js'
import { addProfileRoutes } from './accounts/routes/profile.js'
import { addAdminRoutes } from './administration/routes/beta-codes.js'
import { addPeopleRoutes } from './administration/routes/people.js'
import { addSystemRoutes } from './administration/routes/system.js'
import { addAuditRoutes } from './audit/routes/audit.js'
import type { AuthConfig } from './config.js'
import { startKeys } from './keys/commands/keys.js'
import { addKeyRoutes } from './keys/routes/keys.js'
import { readSessionKeys } from './sessions/commands/sessions.js'
import { addSessionRoutes } from './sessions/routes/sessions.js'
import { addPasskeyRoutes } from './sign-in/routes/passkeys.js'
import { addAuthRoutes } from './sign-in/routes/sign-in.js'
import { createStore } from './store.js'
import { addTokenRoutes } from './tokens/routes/tokens.js'

/** Creates the auth service: sign-in, sessions, accounts, profiles, administration, the audit log, and keys. */
export const createApp = async (config: AuthConfig, deps?: ServiceDeps): Promise<StoreService> => {
  const keys = await readSessionKeys(config.JWT_PRIVATE_KEY)
  const tokenKeys = createLocalJWKSet(keys.jwks)
  const build = (service: StoreService) => {
    if (config.RATE_LIMITS === 'off') service.log.warn('rate limits are off')
    const context = createStore(service, config, keys)
    addAuthRoutes(context)
    addProfileRoutes(context)
    addTokenRoutes(context)
    addSessionRoutes(context)
    addPasskeyRoutes(context)
    addOwnAccountRoutes(context)
    addAdminRoutes(context)
    addAuditRoutes(context)
    addPeopleRoutes(context)
    addSystemRoutes(context)
    addAccountRoutes(context)
    addInternalRoutes(context)
    addKeyRoutes(context)
    return () => startKeys(context)
  }
  return startStoreService('auth', config, { ...deps, tokenKeys }, build)
}
