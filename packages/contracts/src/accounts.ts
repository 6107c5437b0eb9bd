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
    summary: 'Everything that the service keeps about a user, streamed',
    params: byId,
    response: z.array(personalItem),
  }),
  forgetUser: internalEndpoint('DELETE /internal/users/:id/personal-data', {
    summary: 'Remove what is a deleted user’s own and their id from what stays; repeating it changes nothing',
    params: byId,
    response: done,
  }),
} as const

/** Account lifecycle, for the admin command and the workers: never routed by the gateway. */
export const accountsInternal = {
  findAccount: internalEndpoint('POST /internal/accounts/find', {
    summary: 'Whose account an e-mail address is; 404 when there is none',
    body: byEmail,
    response: byId,
  }),
  suspendAccount: internalEndpoint('POST /internal/accounts/suspend', {
    summary: 'End all sessions of an account at once and let nobody sign in to it',
    body: byEmail,
    response: byId,
  }),
  unsuspendAccount: internalEndpoint('POST /internal/accounts/unsuspend', {
    summary: 'Let a suspended account sign in again',
    body: byEmail,
    response: byId,
  }),
  resetPasskeys: internalEndpoint('POST /internal/accounts/reset-passkeys', {
    summary: 'Remove all passkeys of an account, whose owner has lost them, and end its sessions',
    body: byEmail,
    response: byId,
  }),
  deleteAccount: internalEndpoint('POST /internal/accounts/delete', {
    summary: 'Delete an account now; what other services keep of it goes in the background',
    body: byEmail,
    response: byId,
  }),
  getDeletion: internalEndpoint('GET /internal/deletions/:id', {
    summary:
      'Whether all services have forgotten a deleted user; 404 for who was never, or long ago, deleted',
    params: byId,
    response: z.strictObject({ erased: z.boolean() }),
  }),
  confirmWarning: internalEndpoint('POST /internal/accounts/:id/warned', {
    summary:
      'The mail server took the warning of a spell without activity, or refused its address for good; repeating it changes nothing',
    params: byId,
    body: z.strictObject({ last_active_at: time, outcome: z.enum(['taken', 'refused']) }),
    response: done,
  }),
} as const
