import type { CampaignModels } from '../models/index.js'

/** Size of a member's id in BSON. */
const MEMBER_BYTES = 12
/** Size of a technique in BSON. */
const TECHNIQUE_BYTES = 60

/** Number of campaigns, and the bytes of their texts, members, techniques and imported files. */
export const storedOf = async ({
  campaigns,
  imports,
}: Pick<CampaignModels, 'campaigns' | 'imports'>): Promise<{ documents: number; bytes: number }> => {
  const members = { $multiply: ['$iod_count', MEMBER_BYTES] }
  const techniques = { $multiply: [{ $size: { $ifNull: ['$techniques', []] } }, TECHNIQUE_BYTES] }
  const texts = [{ $strLenBytes: '$name' }, { $strLenBytes: '$description' }]
  const bytes = { $add: [...texts, members, techniques] }
  const [stored] = await campaigns.aggregate<{ documents: number; bytes: number }>([
    { $group: { _id: null, documents: { $sum: 1 }, bytes: { $sum: bytes } } },
  ])
  const [imported] = await imports.aggregate<{ bytes: number }>([
    { $group: { _id: null, bytes: { $sum: '$bytes' } } },
  ])
  return { documents: stored?.documents ?? 0, bytes: (stored?.bytes ?? 0) + (imported?.bytes ?? 0) }
}
