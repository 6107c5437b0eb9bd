import { z } from 'zod'
import { internalEndpoint } from './endpoint.js'
import { done, email, id, time } from './primitives.js'

const byId = z.strictObject({ id })
const byEmail = z.strictObject({ email })

/** One item of a user's personal data: its kind and all its data. */
export const personalItem = z.strictObject({ kind: z.string(), data: z.unknown() })
export type PersonalItem = z.output<typeof personalItem>

/** Endpoints of every service with personal data: never routed by the gateway. */
export const personalDataInternal = {
  exportUser: internalEndpoint('GET /internal/users/:id/personal-data', {
    summary: 'All data that the service stores about a user, streamed',
    params: byId,
    response: z.array(personalItem),
  }),
  eraseUser: internalEndpoint('DELETE /internal/users/:id/personal-data', {
    summary:
      'Delete a deleted user’s own data, and their id from other data; with `comments=delete` their comments too. Idempotent',
    params: byId,
    query: z.strictObject({ comments: z.enum(['keep', 'delete']).default('keep') }),
    response: done,
  }),
} as const

/** Account lifecycle, for the admin command and the workers: never routed by the gateway. */
export const accountsInternal = {
  findAccount: internalEndpoint('POST /internal/accounts/find', {
    summary: 'The account of an e-mail address; 404 if there is none',
    body: byEmail,
    response: byId,
  }),
  suspendAccount: internalEndpoint('POST /internal/accounts/suspend', {
    summary: 'End all sessions of an account at once and disable its sign-in',
    body: byEmail,
    response: byId,
  }),
  unsuspendAccount: internalEndpoint('POST /internal/accounts/unsuspend', {
    summary: 'Enable the sign-in of a suspended account',
    body: byEmail,
    response: byId,
  }),
  resetPasskeys: internalEndpoint('POST /internal/accounts/reset-passkeys', {
    summary: 'Remove all passkeys of an account, whose owner has lost them, and end its sessions',
    body: byEmail,
    response: byId,
  }),
  deleteAccount: internalEndpoint('POST /internal/accounts/delete', {
    summary: 'Delete an account now; other services delete its data in the background',
    body: byEmail,
    response: byId,
  }),
  getDeletion: internalEndpoint('GET /internal/deletions/:id', {
    summary:
      'Whether all services have erased a deleted user; 404 for an unknown user, or one deleted long ago',
    params: byId,
    response: z.strictObject({ erased: z.boolean() }),
  }),
  confirmWarning: internalEndpoint('POST /internal/accounts/:id/warned', {
    summary:
      'The mail server accepted the inactivity warning, or rejected its address permanently; idempotent',
    params: byId,
    body: z.strictObject({ last_active_at: time, outcome: z.enum(['taken', 'refused']) }),
    response: done,
  }),
} as const
