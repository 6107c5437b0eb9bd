import type { RateLimit, StoreService } from '@iodine/service-kit'
import type { CryptoKey, JSONWebKeySet } from 'jose'
import type { AuthConfig } from './config.js'
import type { AuthModels } from './models/index.js'

export interface SessionKeys {
  privateKey: CryptoKey
  /** Public keys for services that verify tokens. */
  jwks: JSONWebKeySet
}

/** Dependencies of this service's routes and commands. */
export interface AuthContext {
  config: AuthConfig
  service: StoreService
  models: AuthModels
  keys: SessionKeys
  limits: Record<'email' | 'mails' | 'ip' | 'addressChanges', RateLimit>
}
