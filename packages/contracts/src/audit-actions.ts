// Words of the audit log that screens need at run time. Must not import zod (see `vocabulary.ts`).
import { QUOTAS } from './quotas.js'
import { EXPORT_FORMATS, KEY_SETTINGS, SHARED_AS, TLP_LEVELS } from './vocabulary.js'

/**
 * What the audit log records, with the words that the screen shows. A name never changes, as entries with it are kept:
 * a version that does not know the name of an entry could not check its hash.
 */
export const AUDIT_ACTIONS = {
  'admin.signed-in': 'Administrator signed in',
  'beta-code.created': 'Beta code made',
  'account.suspended': 'Account suspended',
  'account.unsuspended': 'Account opened again',
  'account.deleted': 'Account deleted',
  'account.deletion-requested': 'Deletion of an account asked for',
  'account.deletion-scheduled': 'Deletion of an account confirmed',
  'account.deletion-withdrawn': 'Account kept',
  'account.exported': 'Personal data exported',
  'account.export-downloaded': 'Personal data downloaded',
  'account.address-change-requested': 'Change of an address asked for',
  'account.address-changed': 'Address of an account changed',
  'account.address-change-withdrawn': 'Change of an address withdrawn',
  'passkey.created': 'Passkey added',
  'passkey.deleted': 'Passkey removed',
  'account.passkeys-reset': 'Passkeys reset',
  'account.sessions-ended': 'Sessions of an account ended',
  'account.tokens-revoked': 'API tokens and feed keys of an account revoked',
  'account.limits-changed': 'Limits of an account changed',
  'backup.made': 'Backup made',
  'work.retried': 'Failed work tried again',
  'work.dropped': 'Failed work removed',
  'api-token.created': 'API token made',
  'api-token.revoked': 'API token revoked',
  'feed-key.created': 'Feed key made',
  'feed-key.revoked': 'Feed key revoked',
  'campaign.deleted': 'Campaign deleted',
  'campaign.exported': 'Campaign exported',
  'campaign.iod-removed': 'IOD removed from a campaign',
  'campaign.technique-removed': 'Technique removed from a campaign',
  'campaign.published': 'Campaign published',
  'campaign.withdrawn': 'Campaign withdrawn',
  'campaign.level-changed': 'Level of a campaign changed',
  'import.applied': 'Import applied',
  'import.removed': 'Import removed',
  'subscription.created': 'Subscription added',
  'subscription.changed': 'Subscription changed',
  'subscription.deleted': 'Subscription deleted',
  'capture.shared': 'Capture shared',
  'capture.unshared': 'Capture no longer shared',
  'capture.exported': 'Capture downloaded',
  'capture.redacted': 'Capture redacted',
  'records.shared': 'Records shared',
  'records.unshared': 'Records no longer shared',
  'evidence.imported': 'Evidence imported',
  'evidence.redacted': 'Evidence redacted',
  'sightings.counted': 'Own records counted for others',
  'sightings.not-counted': 'Own records no longer counted for others',
  'key.rotated': 'Exchange of keys: next step made',
  'key.used': 'Key came into use',
  'key.dropped': 'Key taken out',
  'settings.started': 'Settings at start',
  'audit.exported': 'Audit log downloaded',
  'audit.expired': 'Old entries of the audit log removed',
} as const
export type AuditAction = keyof typeof AUDIT_ACTIONS
export const AUDIT_ACTION_NAMES = Object.keys(AUDIT_ACTIONS) as [AuditAction, ...AuditAction[]]

/** What an entry may be about. */
export const AUDIT_SUBJECTS = {
  account: 'Account',
  'beta-code': 'Beta code',
  passkey: 'Passkey',
  'feed-key': 'Feed key',
  'api-token': 'API token',
  campaign: 'Campaign',
  subscription: 'Subscription',
  capture: 'Capture',
  record: 'Record',
  iod: 'IOD',
  evidence: 'Evidence',
  key: 'Key',
  deployment: 'This site',
} as const
export type AuditSubject = keyof typeof AUDIT_SUBJECTS
export const AUDIT_SUBJECT_NAMES = Object.keys(AUDIT_SUBJECTS) as [AuditSubject, ...AuditSubject[]]

/**
 * Who acts: a user; the operator, by a command on the servers; the system itself. The first has an id.
 */
export const AUDIT_ACTORS = { user: 'User', operator: 'Operator', system: 'System' } as const
export type AuditActor = keyof typeof AUDIT_ACTORS
export const AUDIT_ACTOR_NAMES = Object.keys(AUDIT_ACTORS) as [AuditActor, ...AuditActor[]]

/** Kind of the session, or of what stands in its place, that a user acts by. */
export const AUDIT_VIAS = {
  web: 'browser',
  extension: 'extension',
  feed: 'feed key',
  token: 'API token',
} as const
export type AuditVia = keyof typeof AUDIT_VIAS
export const AUDIT_VIA_NAMES = Object.keys(AUDIT_VIAS) as [AuditVia, ...AuditVia[]]

/** Further words of an entry: how, or which one. */
export const AUDIT_DETAILS = [
  ...new Set([
    'link',
    'passkey',
    ...EXPORT_FORMATS,
    'wacz',
    ...TLP_LEVELS,
    ...SHARED_AS,
    ...QUOTAS,
    ...KEY_SETTINGS,
  ] as const),
]
export type AuditDetail = (typeof AUDIT_DETAILS)[number]

/**
 * `unknown`: the process ended, or a dependency failed, while the action was under way, so that it may have been done
 * in part.
 */
export const AUDIT_OUTCOMES = ['done', 'unknown'] as const

/** Settings whose values are compared at each start, and appear in the log by a fingerprint. */
export const OPEN_SETTINGS = [
  'ADMIN_EMAILS',
  'ADMIN_PASSKEYS',
  'BETA_REQUIRED',
  'CONTACT_EMAIL',
  'CORS_ORIGINS',
  'EMBEDDINGS_TIMEOUT_MS',
  'EXTENSION_URL',
  'EXTRACTION_LOCK_MS',
  'EXTRACTION_WAIT_MS',
  'FEED_REQUESTS_A_MINUTE',
  'LOG_LEVEL',
  'MAIL_FROM',
  'OFFLINE_AI',
  'OPENAI_BASE_URL',
  'OPENAI_EMBEDDINGS_MODEL',
  'OPENAI_MODEL',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_PROTOCOL',
  'OTEL_TRACES_SAMPLER_ARG',
  'PAGE_REQUESTS_A_MINUTE',
  'PUBLIC_URL',
  'QUOTA_CAMPAIGNS',
  'QUOTA_CAMPAIGN_IODS',
  'QUOTA_CANON_RULES',
  'QUOTA_CAPTURE_BYTES',
  'QUOTA_EVIDENCE_BYTES',
  'QUOTA_IMPORT_BYTES',
  'QUOTA_IODS',
  'QUOTA_IODS_A_DAY',
  'QUOTA_IOD_BYTES',
  'QUOTA_NARRATIVES',
  'QUOTA_PUBLISHED_BYTES',
  'QUOTA_RECORDS',
  'QUOTA_RECORD_BYTES',
  'RATE_LIMITS',
  'REMOTES_ROOT',
  'SOCIAL_LINKS',
  'STORAGE_ALARM_BYTES',
  'STRANGER_REQUESTS_A_MINUTE',
  'SUBSCRIPTIONS_ALLOW',
  'SUBSCRIPTIONS_CA',
  'TRUST_PROXY',
  'TSA_URL',
  'USER_REQUESTS_A_MINUTE',
  'WEB_ROOT',
] as const

/** Settings that are, or may hold, a secret: the log says whether they are set, and no more. */
export const SECRET_SETTINGS = [
  'BLOBS_URL',
  'JWT_PRIVATE_KEY',
  'MONGODB_URI',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'REDIS_URL',
  'SEAL_PRIVATE_KEY',
  'SECRETS_KEY',
  'SERVICE_KEY',
  'SMTP_URL',
] as const
