import type { CampaignModels } from '../../models.js'

/** Size of a member's id in BSON. */
const MEMBER_BYTES = 12
/** Size of a technique in BSON. */
const TECHNIQUE_BYTES = 60

/** Returns the number of campaigns, and the bytes of their texts, members, techniques, imported files and feeds. */
export const storedOf = async ({
  campaigns,
  imports,
  publications,
}: Pick<CampaignModels, 'campaigns' | 'imports' | 'publications'>): Promise<{
  documents: number
  bytes: number
}> => {
  const members = { $multiply: ['$iod_count', MEMBER_BYTES] }
  const techniques = { $multiply: [{ $size: { $ifNull: ['$techniques', []] } }, TECHNIQUE_BYTES] }
  const texts = [{ $strLenBytes: '$name' }, { $strLenBytes: '$description' }]
  const bytes = { $add: [...texts, members, techniques] }
  const [stored] = await campaigns.aggregate<{ documents: number; bytes: number }>([
    { $group: { _id: null, documents: { $sum: 1 }, bytes: { $sum: bytes } } },
  ])
  const all = [{ $group: { _id: null, bytes: { $sum: '$bytes' } } }]
  const [imported] = await imports.aggregate<{ bytes: number }>(all)
  const [published] = await publications.aggregate<{ bytes: number }>(all)
  const sum = (stored?.bytes ?? 0) + (imported?.bytes ?? 0) + (published?.bytes ?? 0)
  return { documents: stored?.documents ?? 0, bytes: sum }
}
