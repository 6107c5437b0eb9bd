import type { RateLimit, StoreService } from '@iodine/service-kit'
import type { CryptoKey, JSONWebKeySet } from 'jose'
import type { AuthConfig } from './config.js'
import type { AuthModels } from './models/index.js'

export interface SessionKeys {
  privateKey: CryptoKey
  /** The public half, for whoever checks tokens. */
  jwks: JSONWebKeySet
}

/** What routes and commands of this service work with. */
export interface AuthContext {
  config: AuthConfig
  service: StoreService
  models: AuthModels
  keys: SessionKeys
  limits: Record<'email' | 'mails' | 'ip', RateLimit>
}
