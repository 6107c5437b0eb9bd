import type { PublicationDoc } from '../models/publication.js'

/** A publication in its user's personal data. */
export const personalPublication = ({ _id, collection_id, wanted, title, at }: PublicationDoc) => ({
  campaign_id: _id,
  collection_id,
  published: wanted,
  title,
  at,
})
