// Vocabulary of the audit log that screens need at run time. Must not import zod (see `vocabulary.ts`).
import { QUOTAS } from './quotas.js'
import { EXPORT_FORMATS, KEY_SETTINGS, SHARED_AS, TLP_LEVELS } from './vocabulary.js'

/**
 * Actions that the audit log records, with their labels. A name never changes: a version that lacks the name of a
 * stored entry could not check its hash.
 */
export const AUDIT_ACTIONS = {
  'admin.signed-in': 'Administrator signed in',
  'beta-code.created': 'Beta code created',
  'account.suspended': 'Account suspended',
  'account.unsuspended': 'Account unsuspended',
  'account.deleted': 'Account deleted',
  'account.deletion-requested': 'Deletion of an account requested',
  'account.deletion-scheduled': 'Deletion of an account confirmed',
  'account.deletion-withdrawn': 'Deletion of an account withdrawn',
  'account.exported': 'Personal data exported',
  'account.export-downloaded': 'Personal data downloaded',
  'account.address-change-requested': 'Change of an email address requested',
  'account.address-changed': 'Email address of an account changed',
  'account.address-change-withdrawn': 'Change of an email address withdrawn',
  'passkey.created': 'Passkey added',
  'passkey.deleted': 'Passkey removed',
  'account.passkeys-reset': 'Passkeys reset',
  'account.sessions-ended': 'Sessions of an account ended',
  'account.tokens-revoked': 'API tokens and feed keys of an account revoked',
  'account.limits-changed': 'Limits of an account changed',
  'backup.made': 'Backup completed',
  'work.retried': 'Failed work retried',
  'work.dropped': 'Failed work removed',
  'api-token.created': 'API token created',
  'api-token.revoked': 'API token revoked',
  'feed-key.created': 'Feed key created',
  'feed-key.revoked': 'Feed key revoked',
  'comment.deleted': 'Comment deleted by an administrator',
  'campaign.deleted': 'Campaign deleted',
  'campaign.exported': 'Campaign exported',
  'campaign.iod-removed': 'IOD removed from a campaign',
  'campaign.technique-removed': 'Technique removed from a campaign',
  'campaign.published': 'Campaign published',
  'campaign.withdrawn': 'Campaign withdrawn',
  'campaign.level-changed': 'Level of a campaign changed',
  'report.handed-in': 'Report handed in for review',
  'report.approved': 'Report approved',
  'report.refused': 'Report refused',
  'report.withdrawn': 'Report withdrawn',
  'report.erased': 'Version of a report erased',
  'report.replied': 'Reply shown on a report',
  'report.reinstated': 'Report under revision shown again',
  'report.taken-out': 'Content taken out of a report',
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
  'sightings.counted': 'Anonymous counts enabled',
  'sightings.not-counted': 'Anonymous counts disabled',
  'key.rotated': 'Next step of a key rotation',
  'key.used': 'Key activated',
  'key.dropped': 'Key removed',
  'settings.started': 'Settings at start',
  'audit.exported': 'Audit log downloaded',
  'audit.expired': 'Old entries of the audit log removed',
} as const
export type AuditAction = keyof typeof AUDIT_ACTIONS
export const AUDIT_ACTION_NAMES = Object.keys(AUDIT_ACTIONS) as [AuditAction, ...AuditAction[]]

/** Subjects of entries, with their labels. */
export const AUDIT_SUBJECTS = {
  account: 'Account',
  'beta-code': 'Beta code',
  passkey: 'Passkey',
  'feed-key': 'Feed key',
  'api-token': 'API token',
  campaign: 'Campaign',
  report: 'Report',
  subscription: 'Subscription',
  capture: 'Capture',
  record: 'Record',
  iod: 'IOD',
  comment: 'Comment',
  evidence: 'Evidence',
  key: 'Key',
  deployment: 'This site',
} as const
export type AuditSubject = keyof typeof AUDIT_SUBJECTS
export const AUDIT_SUBJECT_NAMES = Object.keys(AUDIT_SUBJECTS) as [AuditSubject, ...AuditSubject[]]

/** Actors: a user; the operator, by a command on the servers; the system. Only users have an id. */
export const AUDIT_ACTORS = { user: 'User', operator: 'Operator', system: 'System' } as const
export type AuditActor = keyof typeof AUDIT_ACTORS
export const AUDIT_ACTOR_NAMES = Object.keys(AUDIT_ACTORS) as [AuditActor, ...AuditActor[]]

/** Kinds of sessions, keys and tokens by which a user acts. */
export const AUDIT_VIAS = {
  web: 'browser',
  extension: 'extension',
  feed: 'feed key',
  token: 'API token',
} as const
export type AuditVia = keyof typeof AUDIT_VIAS
export const AUDIT_VIA_NAMES = Object.keys(AUDIT_VIAS) as [AuditVia, ...AuditVia[]]

/** Details of an entry, such as a method, a format or a level. */
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

/** `unknown`: the process ended, or a dependency failed, during the action, which may be partly done. */
export const AUDIT_OUTCOMES = ['done', 'unknown'] as const

/** Settings whose values are compared at each start, and appear in the log by a fingerprint. */
export const OPEN_SETTINGS = [
  'ADMIN_EMAILS',
  'ADMIN_PASSKEYS',
  'BETA_REQUIRED',
  'CONTACT_EMAIL',
  'CORS_ORIGINS',
  'EMBEDDINGS_TIMEOUT_MS',
  'EXTENSION_FIREFOX_URL',
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
  'REPORTS',
  'REPORTS_CONTACT',
  'REPORTS_LEGAL_NOTICE',
  'REPORT_REQUESTS_A_MINUTE',
  'SOCIAL_LINKS',
  'STORAGE_ALARM_BYTES',
  'STRANGER_REQUESTS_A_MINUTE',
  'SUBSCRIPTIONS_ALLOW',
  'SUBSCRIPTIONS_CA',
  'TRUST_PROXY',
  'TSA_URL',
  'USER_REQUESTS_A_MINUTE',
  'WEBHOOKS_ALLOW',
  'WEB_ROOT',
] as const

/** Settings that are, or may contain, a secret: the log contains only whether they are set. */
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
