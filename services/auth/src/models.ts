import { type Connection, modelOf } from '@iodine/service-kit'
import { accountLinkSchema } from './accounts/models/account-link.js'
import { addressChangeSchema } from './accounts/models/address-change.js'
import { dataExportSchema, exportPieceSchema } from './accounts/models/data-export.js'
import { deletionSchema } from './accounts/models/deletion.js'
import { userSchema } from './accounts/models/user.js'
import { backupSchema } from './administration/models/backup.js'
import { auditEntrySchema } from './audit/models/audit-entry.js'
import { auditHeadSchema, fingerprintKeySchema, partSettingsSchema } from './audit/models/audit-state.js'
import { keyUseSchema } from './keys/models/key-use.js'
import { sessionSchema } from './sessions/models/session.js'
import { betaCodeSchema } from './sign-in/models/beta-code.js'
import { extensionCodeSchema } from './sign-in/models/extension-code.js'
import { magicLinkSchema } from './sign-in/models/magic-link.js'
import { passkeySchema } from './sign-in/models/passkey.js'
import { usedChallengeSchema } from './sign-in/models/used-challenge.js'
import { apiTokenSchema } from './tokens/models/api-token.js'
import { feedKeySchema } from './tokens/models/feed-key.js'

export const createModels = (mongo: Connection) => ({
  users: modelOf(mongo, 'User', userSchema),
  links: modelOf(mongo, 'MagicLinks', magicLinkSchema),
  sessions: modelOf(mongo, 'Session', sessionSchema),
  passkeys: modelOf(mongo, 'Passkey', passkeySchema),
  usedChallenges: modelOf(mongo, 'UsedChallenge', usedChallengeSchema),
  extensionCodes: modelOf(mongo, 'ExtensionCode', extensionCodeSchema),
  apiTokens: modelOf(mongo, 'ApiToken', apiTokenSchema),
  feedKeys: modelOf(mongo, 'FeedKey', feedKeySchema),
  keyUses: modelOf(mongo, 'KeyUse', keyUseSchema),
  betaCodes: modelOf(mongo, 'BetaCode', betaCodeSchema),
  backups: modelOf(mongo, 'Backup', backupSchema),
  accountLinks: modelOf(mongo, 'AccountLink', accountLinkSchema),
  addressChanges: modelOf(mongo, 'AddressChange', addressChangeSchema),
  dataExports: modelOf(mongo, 'DataExport', dataExportSchema),
  exportPieces: modelOf(mongo, 'ExportPiece', exportPieceSchema),
  deletions: modelOf(mongo, 'Deletion', deletionSchema),
  auditEntries: modelOf(mongo, 'AuditEntry', auditEntrySchema),
  auditHead: modelOf(mongo, 'AuditHead', auditHeadSchema),
  partSettings: modelOf(mongo, 'PartSettings', partSettingsSchema),
  fingerprintKeys: modelOf(mongo, 'FingerprintKey', fingerprintKeySchema),
})
export type AuthModels = ReturnType<typeof createModels>
