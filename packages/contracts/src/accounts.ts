import { z } from 'zod'
import { endpoint } from './endpoint.js'
import { email, id, time } from './primitives.js'

const byId = z.strictObject({ id })
const byEmail = z.strictObject({ email })
const done = z.strictObject({ done: z.literal(true) })

/** Something that is kept about a user: what it is, and all of it. */
export const personalItem = z.strictObject({ kind: z.string(), data: z.unknown() })
export type PersonalItem = z.output<typeof personalItem>

/** What every service that keeps something about users serves: never routed by the gateway. */
export const personalDataInternal = {
  exportUser: endpoint({
    method: 'GET',
    path: '/internal/users/:id/personal-data',
    access: 'anyone',
    summary: 'Everything that the service keeps about a user, streamed',
    params: byId,
    response: z.array(personalItem),
  }),
  forgetUser: endpoint({
    method: 'DELETE',
    path: '/internal/users/:id/personal-data',
    access: 'anyone',
    summary: 'Remove what is a deleted user’s own and their id from what stays; repeating it changes nothing',
    params: byId,
    response: done,
  }),
} as const

/** The life of accounts, for the team's command and the workers: never routed by the gateway. */
export const accountsInternal = {
  findAccount: endpoint({
    method: 'POST',
    path: '/internal/accounts/find',
    access: 'anyone',
    summary: 'Whose account an e-mail address is; 404 when there is none',
    body: byEmail,
    response: byId,
  }),
  suspendAccount: endpoint({
    method: 'POST',
    path: '/internal/accounts/suspend',
    access: 'anyone',
    summary: 'End all sessions of an account at once and let nobody sign in to it',
    body: byEmail,
    response: byId,
  }),
  unsuspendAccount: endpoint({
    method: 'POST',
    path: '/internal/accounts/unsuspend',
    access: 'anyone',
    summary: 'Let a suspended account sign in again',
    body: byEmail,
    response: byId,
  }),
  deleteAccount: endpoint({
    method: 'POST',
    path: '/internal/accounts/delete',
    access: 'anyone',
    summary: 'Delete an account now; what other services keep of it goes in the background',
    body: byEmail,
    response: byId,
  }),
  getDeletion: endpoint({
    method: 'GET',
    path: '/internal/deletions/:id',
    access: 'anyone',
    summary:
      'Whether all services have forgotten a deleted user; 404 for who was never, or long ago, deleted',
    params: byId,
    response: z.strictObject({ erased: z.boolean() }),
  }),
  confirmErasure: endpoint({
    method: 'POST',
    path: '/internal/deletions/:id/erased',
    access: 'anyone',
    summary: 'All services have forgotten the user, the first of them asked `elapsed_ms` ago',
    params: byId,
    body: z.strictObject({ elapsed_ms: z.int().min(0) }),
    response: done,
  }),
  confirmWarning: endpoint({
    method: 'POST',
    path: '/internal/accounts/:id/warned',
    access: 'anyone',
    summary:
      'The mail server took the warning of a spell without activity, or refused its address for good; repeating it changes nothing',
    params: byId,
    body: z.strictObject({ last_active_at: time, outcome: z.enum(['taken', 'refused']) }),
    response: done,
  }),
  expireAccounts: endpoint({
    method: 'POST',
    path: '/internal/accounts/expire',
    access: 'anyone',
    summary:
      'Warn owners of inactive accounts, and delete those warned in time; `more`: not all were reached',
    response: z.strictObject({ warned: z.int(), deleted: z.int(), more: z.boolean() }),
  }),
} as const
