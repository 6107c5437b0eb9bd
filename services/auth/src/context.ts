import type { AuditEntry } from '@iodine/contracts'
import type { Kind, RateLimit, SigningKey, StoreService } from '@iodine/service-kit'
import type { JSONWebKeySet } from 'jose'
import type { AuthConfig } from './config.js'
import type { AuthModels } from './models/index.js'
import type { OutgoingMail } from './models/mail.js'

export interface SessionKeys {
  /** Signs new tokens: the first of `JWT_PRIVATE_KEY`. */
  privateKey: SigningKey
  /** Public keys for services that verify tokens, that of `privateKey` first. */
  jwks: JSONWebKeySet
}

/** Dependencies of this service's routes and commands. */
export interface AuthContext {
  config: AuthConfig
  service: StoreService
  models: AuthModels
  keys: SessionKeys
  /** Appends to the audit log. Routes record through `service.audit`. */
  appendAudit: (entries: readonly AuditEntry[]) => Promise<void>
  /** Users that the community service is to hear of, by their ids as keys. */
  changedUsers: Kind<{ id: string }>
  /** Deleted accounts, by their ids as keys. */
  deletions: Kind<{ id: string }>
  /** Files of personal data that are being made, by their ids as keys. */
  exports: Kind<{ id: string }>
  /** Mails that no mail server has accepted yet, by their ids as keys. */
  mails: Kind<OutgoingMail>
  limits: Record<'email' | 'mails' | 'ip' | 'addressChanges', RateLimit>
}
