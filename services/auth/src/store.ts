import { LIMITS } from '@iodine/contracts'
import { createRateLimit, type StoreService } from '@iodine/service-kit'
import { userDeletions } from './accounts/commands/close-account.js'
import { expireAccounts } from './accounts/commands/expire-accounts.js'
import { dataExports } from './accounts/commands/export-data.js'
import { userChanges } from './accounts/commands/publish-user.js'
import { limitChanges } from './administration/commands/own-limits.js'
import { createAuditAppender } from './audit/commands/append-audit.js'
import { expireAudit } from './audit/commands/expire-audit.js'
import type { AuthConfig } from './config.js'
import type { AuthContext, SessionKeys } from './context.js'
import { outgoingMails } from './mails/commands/send-mail.js'
import { createModels } from './models.js'
import { tokenEndings } from './sessions/commands/end-tokens.js'

const HOUR_MS = 3_600_000

export const createStore = (service: StoreService, config: AuthConfig, keys: SessionKeys): AuthContext => {
  const { outbox, tasks } = service
  const models = createModels(service.mongo)
  const limit = (name: string, points: number, seconds: number) =>
    createRateLimit(service.redis, {
      name,
      points,
      seconds,
      prefix: config.REDIS_PREFIX,
      enabled: config.RATE_LIMITS === 'on',
    })
  const self = () => context
  const context: AuthContext = {
    config,
    service,
    models,
    keys,
    limits: {
      email: limit('sign-in-email', 5, 60),
      // Per address, regardless of the number of clients, so that others cannot flood a mailbox.
      mails: limit('sign-in-mails', 20, 3_600),
      ip: limit('sign-in-ip', 30, 300),
      // Each mails two addresses, one of which may be another person's.
      addressChanges: limit('address-changes', LIMITS.addressChangesADay, 24 * 3_600),
    },
    appendAudit: createAuditAppender(models),
    changedUsers: outbox.kind('user.changed', userChanges(self)),
    changedLimits: outbox.kind('limits.changed', limitChanges(self)),
    endings: outbox.kind('token.ended', tokenEndings(self)),
    deletions: outbox.kind('user.deleted', userDeletions(self)),
    exports: outbox.kind('data-export', dataExports(self)),
    mails: outbox.kind('mail', outgoingMails(self)),
  }
  tasks.every('account-expiry', HOUR_MS, signal => expireAccounts(context, signal))
  tasks.every('audit-expiry', HOUR_MS, () => expireAudit(context))
  return context
}
