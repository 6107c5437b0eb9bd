export type { FastifyRequest } from 'fastify'
export { type Comments, createComments } from './comments/comments.js'
export type { CommentSubject } from './comments/publish-comment.js'
export { serveComments } from './comments/serve-comments.js'
export {
  ConfigError,
  KEYS_MAX,
  LOG_LEVELS,
  portSetting,
  quotaSetting,
  readConfig,
  type StoreConfig,
  secretsKeySetting,
  serviceConfigSchema,
  signingKeySetting,
  signingKeysOf,
  signingKeysSetting,
  storageSettings,
  storeConfigSchema,
  switchSetting,
  tracingSettings,
  urlSetting,
} from './config.js'
export { requireAccess } from './http/access.js'
export { addressKey } from './http/addresses.js'
export { isAdmin, requireAdmin, requirePasskeyAdmin } from './http/admin.js'
export { createAgent } from './http/agent.js'
export { requireAiKey } from './http/ai-key.js'
export { createHttpApp, errorAnswer } from './http/app.js'
export { joinPieces } from './http/bytes.js'
export { done } from './http/done.js'
export { createDownloads, type Download, isKnownEtag } from './http/downloads.js'
export {
  badRequest,
  conflict,
  forbidden,
  HttpError,
  ifFound,
  invalid,
  isNotFound,
  isPermanentError,
  notFound,
  throwFirst,
  timedOut,
  tooManyRequests,
  unauthenticated,
  unavailable,
} from './http/errors.js'
export { serveHistory } from './http/history.js'
export { checkPlainData } from './http/json.js'
export { createKeyedLimiter, type KeyedLimiter } from './http/keyed-limiter.js'
export {
  afterPosition,
  cutPage,
  type ListPosition,
  pageAfter,
  type RankedPosition,
  sendList,
  type Total,
} from './http/lists.js'
export {
  addressOf,
  COMMAND_TIMEOUT_MS,
  createPeers,
  type Peers,
  type PeersConfig,
  SERVICE_KEY_HEADER,
  SHORT_KEEP_ALIVE,
  withPeers,
} from './http/peers.js'
export {
  type PersonalSource,
  personalSource,
  serveExport,
  servePersonalData,
} from './http/personal-data.js'
export { createLocalRateLimit, createRateLimit, type RateLimit } from './http/rate-limits.js'
export { type RebuiltPart, rebuildPart } from './http/rebuild.js'
export { serveSecrets } from './http/secrets.js'
export {
  redisEpochKey,
  SESSION_CACHE_MS,
  SESSION_GRACE_MS,
  SESSION_REVOKED,
  sessionKey,
  TOMBSTONE_MS,
} from './http/sessions.js'
export { createSharedAnswers, JSON_TYPE, type ReplyHeaders, Streamed } from './http/streamed.js'
export { sendTaxiiError } from './http/taxii-errors.js'
export {
  bearerToken,
  type Caller,
  createTokenVerifier,
  remoteKeys,
  type SigningKey,
  signToken,
  type TokenVerifier,
} from './http/tokens.js'
export { faults } from './http/validate.js'
export { createLogger } from './observe/logging.js'
export { createPartMetrics, listenForMetrics, type PartMetrics } from './observe/metrics.js'
export { startSettingsReport } from './observe/settings-report.js'
export { createTracing, traced } from './observe/tracing.js'
export { VERSION } from './observe/version.js'
export { calling, runOutsideWork } from './observe/work-context.js'
export {
  PEER_BACKOFF_MAX_MS,
  publishRecordsToWatchers,
  publishToCommunity,
  publishToWatchers,
} from './outbox/events.js'
export { type AddOptions, byId, type Kind, type KindSpec } from './outbox/kind.js'
export { createOutbox, type Outbox } from './outbox/outbox.js'
export { type EntryContent, storeEntries } from './outbox/store-entries.js'
export type { Tasks, TaskWork } from './outbox/tasks.js'
export { DelayedError, type Job, type Queues, UnrecoverableError } from './queues/queues.js'
export { runPart } from './run.js'
export { createService, type Part, type Service, type ServiceDeps } from './service.js'
export { createSharedReads, createSingleFlight } from './single-flight.js'
export { timeoutSignal } from './stalls.js'
export { createStoreService, type StoreService, startStoreService } from './store-service.js'
export type { Audit, AuditLog } from './stores/audit.js'
export { type AuditBy, type AuditedAction, newAuditEntry } from './stores/audit-entry.js'
export { type DocOf, defineSchema, modelOf, typed } from './stores/documents.js'
export {
  containing,
  containingInAnyCase,
  createRarestGram,
  type GramLengths,
  gramsOf,
  gramsOfTerm,
} from './stores/grams.js'
export { type Migration, migrate } from './stores/migrations.js'
export {
  type Connection,
  connectMongo,
  ignoreDuplicateKey,
  inTransaction,
  isDuplicateKey,
  prepareModels,
} from './stores/mongo.js'
export { createQuotas, QuotaExceeded, type Quotas, serveUsage } from './stores/quotas.js'
export { connectRedis, type Redis } from './stores/redis.js'
export {
  feedSecretContext,
  hashOf,
  type Keyring,
  keyringOf,
  newSecretsKey,
  newSigningKey,
  reseal,
  seal,
  sealedWith,
  UnknownKeyError,
  unseal,
} from './stores/sealing.js'
export { watchStorage } from './stores/storage.js'
export type { Amounts } from './stores/usage.js'
export { type UserDirectory, usersVersionKey } from './stores/users.js'
export { createVersion } from './stores/version.js'
export { createThreads, startThread } from './thread.js'
export { countedValue, valuesIn } from './values.js'
