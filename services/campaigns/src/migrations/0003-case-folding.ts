import { type Migration, NOT_PLAIN, rewriteEach } from '@iodine/service-kit'
import { type CampaignDoc, searchFields } from '../models/campaign.js'

/** Gives names of campaigns the searched form of Unicode's case folding, without invisible characters. */
export const caseFolding: Migration = {
  name: '0003-case-folding',
  up: mongo =>
    rewriteEach<CampaignDoc>(mongo, 'campaigns', { name: NOT_PLAIN }, ['name', 'search'], doc => {
      const fields = searchFields(doc)
      return fields.search === doc.search ? [] : [{ $set: fields }]
    }),
}
