import { defineParcel } from '@iodine/mfe-kit'
import { CampaignsPage } from './pages/CampaignsPage'

/** A campaign's details are a dialog above the list, with a URL of their own. */
export const parcel = defineParcel({ '/:id?': CampaignsPage })
