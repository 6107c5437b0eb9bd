import { z } from 'zod'

/** A mail that no mail server has accepted yet: payload of an outbox entry. Times in milliseconds. */
export const outgoingMail = z.strictObject({
  /** Also the id of the mail's job. */
  id: z.string(),
  /** Encrypted like the job, so that the database reveals no sign-in token. */
  sealed: z.string(),
  created_at: z.int(),
  /** When the mail expires. */
  expires_at: z.int(),
})
export type OutgoingMail = z.output<typeof outgoingMail>
