import { id } from '@iodine/contracts'
import { z } from 'zod'

/** Payload of an outbox entry: a changed campaign, and who changed it; null for a pulled feed and a deleted account. */
export const campaignChange = z.strictObject({ id, user_id: id.nullable() })
export type CampaignChange = z.output<typeof campaignChange>
