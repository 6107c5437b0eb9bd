import { z } from 'zod'
import { LIMITS } from './limits.js'
import { id, text, time } from './primitives.js'

/** `working`: services are being queried; `ready`: the file can be downloaded; `failed`: it would be too large. */
export const DATA_EXPORT_STATES = ['working', 'ready', 'failed'] as const

/** An export of everything that the services store about a user. */
export const dataExport = z.strictObject({
  id,
  state: z.enum(DATA_EXPORT_STATES),
  created_at: time,
  /** Number of services whose part is in the file, and of all services. */
  done: z.int(),
  total: z.int(),
  /** Unavailable service that the export waits for; null without one. */
  waiting_for: z.string().nullable(),
  /** Bytes of the file so far. */
  bytes: z.int(),
  /** When a ready file is deleted; null before. */
  expires_at: time.nullable(),
})
export type DataExport = z.output<typeof dataExport>

/** A change of the account's address that is not confirmed from both addresses yet. */
export const addressChange = z.strictObject({
  new_email: z.string(),
  old_confirmed: z.boolean(),
  new_confirmed: z.boolean(),
  expires_at: time,
})
export type AddressChange = z.output<typeof addressChange>

/**
 * Effects of a mailed link on an account: it confirms a change of address from one of both addresses, or a deletion.
 */
export const ACCOUNT_LINK_PURPOSES = ['old-address', 'new-address', 'deletion'] as const

export const accountLink = z.strictObject({
  purpose: z.enum(ACCOUNT_LINK_PURPOSES),
  /** The account's address. */
  email: z.string(),
  /** The new address; null for a deletion. */
  new_email: z.string().nullable(),
})
export type AccountLink = z.output<typeof accountLink>

export const usedAccountLink = z.strictObject({
  /**
   * `confirmed`: the other address must still confirm; `changed`: the account has the new address; `scheduled`: it will
   * be deleted.
   */
  outcome: z.enum(['confirmed', 'changed', 'scheduled']),
  /** The account's address now. */
  email: z.string(),
  /** When it will be deleted; null unless it is scheduled. */
  delete_at: time.nullable(),
})
export type UsedAccountLink = z.output<typeof usedAccountLink>

/** Text that the owner types to confirm a deletion: username or email address. */
export const typedConfirmation = text(LIMITS.emailMax)
