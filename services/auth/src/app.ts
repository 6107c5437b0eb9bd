import { type ServiceDeps, type StoreService, startStoreService } from '@iodine/service-kit'
import { createLocalJWKSet } from 'jose'
import { startKeys } from './commands/keys.js'
import { readSessionKeys } from './commands/sessions.js'
import type { AuthConfig } from './config.js'
import { addAccountRoutes } from './routes/accounts.js'
import { addAdminRoutes } from './routes/admin.js'
import { addAuditRoutes } from './routes/audit.js'
import { addAuthRoutes } from './routes/auth.js'
import { addInternalRoutes } from './routes/internal.js'
import { addPeopleRoutes } from './routes/people.js'
import { addProfileRoutes } from './routes/profile.js'
import { addSystemRoutes } from './routes/system.js'
import { createStore } from './store.js'

/** Accounts: sign-in by mailed links, sessions, profiles, beta codes. */
export const createApp = async (config: AuthConfig, deps?: ServiceDeps): Promise<StoreService> => {
  const keys = await readSessionKeys(config.JWT_PRIVATE_KEY)
  const tokenKeys = createLocalJWKSet(keys.jwks)
  const build = (service: StoreService) => {
    if (config.RATE_LIMITS === 'off') service.log.warn('rate limits are off')
    const context = createStore(service, config, keys)
    addAuthRoutes(context)
    addProfileRoutes(context)
    addAdminRoutes(context)
    addAuditRoutes(context)
    addPeopleRoutes(context)
    addSystemRoutes(context)
    addAccountRoutes(context)
    addInternalRoutes(context)
    return () => startKeys(context)
  }
  return startStoreService('auth', config, { ...deps, tokenKeys }, build)
}
