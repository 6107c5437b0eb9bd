import { id } from '@iodine/contracts'
import { z } from 'zod'

/** Users whose content is in a version: payload of an outbox entry. */
export const quotedUsers = z.strictObject({ id, users: z.array(id) })
export type QuotedUsers = z.output<typeof quotedUsers>
