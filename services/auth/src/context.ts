import type { AuditEntry } from '@iodine/contracts'
import type { Kind, RateLimit, SigningKey, StoreService } from '@iodine/service-kit'
import type { JSONWebKeySet } from 'jose'
import type { AuthConfig } from './config.js'
import type { OutgoingMail } from './mails/models/mail.js'
import type { AuthModels } from './models.js'

export interface SessionKeys {
  /** Signs new tokens: the first of `JWT_PRIVATE_KEY`. */
  privateKey: SigningKey
  /** Public keys for services that verify tokens, that of `privateKey` first. */
  jwks: JSONWebKeySet
}

/** The service with its models and outbox kinds, as routes and commands use it. */
export interface AuthContext {
  config: AuthConfig
  service: StoreService
  models: AuthModels
  keys: SessionKeys
  limits: Record<'email' | 'mails' | 'ip' | 'addressChanges', RateLimit>
  /** Appends to the audit log. Routes record through `service.audit`. */
  appendAudit: (entries: readonly AuditEntry[]) => Promise<void>
  /** Users whose state the community service may lack. */
  changedUsers: Kind<{ id: string }>
  /** Users whose own limits a service may lack. */
  changedLimits: Kind<{ id: string }>
  /** Users with ended sessions or API tokens that may lack tombstones. */
  endings: Kind<{ id: string }>
  /** Deleted accounts. */
  deletions: Kind<{ id: string }>
  /** Exports of personal data in progress. */
  exports: Kind<{ id: string }>
  /** Mails that no mail server has accepted yet. */
  mails: Kind<OutgoingMail>
}
