import type { RateLimit, StoreService } from '@iodine/service-kit'
import type { SessionKeys } from './commands/sessions.js'
import type { AuthConfig } from './config.js'
import type { AuthModels } from './models/index.js'

/** What routes and commands of this service work with. */
export interface AuthContext {
  config: AuthConfig
  service: StoreService
  models: AuthModels
  keys: SessionKeys
  limits: { email: RateLimit; ip: RateLimit }
}
