import type { CampaignModel } from '../models/campaign.js'

/** A member's id, as BSON has it in a list. */
const MEMBER_BYTES = 12

/** How many campaigns there are, and the bytes of their texts and members. */
export const storedOf = async (model: CampaignModel): Promise<{ documents: number; bytes: number }> => {
  const members = { $multiply: ['$iod_count', MEMBER_BYTES] }
  const bytes = { $add: [{ $strLenBytes: '$name' }, { $strLenBytes: '$description' }, members] }
  const [stored] = await model.aggregate<{ documents: number; bytes: number }>([
    { $group: { _id: null, documents: { $sum: 1 }, bytes: { $sum: bytes } } },
  ])
  return { documents: stored?.documents ?? 0, bytes: stored?.bytes ?? 0 }
}
