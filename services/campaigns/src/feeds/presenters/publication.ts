import type { PublicationDoc } from '../models/publication.js'

/** Presents a publication for its user's data export. */
export const personalPublication = ({ _id, collection_id, wanted, title, at }: PublicationDoc) => ({
  campaign_id: _id,
  collection_id,
  published: wanted,
  title,
  at,
})
