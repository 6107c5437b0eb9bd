import { notFound } from '@iodine/service-kit'
import { countId, type RecordModels, type Shelf } from '../models/record.js'

/** Deletes one of a user's own records. Throws 404 for any other. */
export const deleteRecord = async (
  { mongo, records, counts }: RecordModels,
  shelf: Shelf,
  id: string,
): Promise<void> => {
  await mongo.transaction(async session => {
    const { deletedCount } = await records.deleteOne({ _id: id, ...shelf }, { session })
    if (deletedCount === 0) throw notFound()
    await counts.updateOne({ _id: countId(shelf) }, { $inc: { n: -1 } }, { session })
  })
}
