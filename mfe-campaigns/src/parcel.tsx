import { defineParcel } from '@iodine/mfe-kit'
import { CampaignsPage } from './pages/CampaignsPage'

/** A campaign's details are a dialog above the list and have their own URL. */
export const parcel = defineParcel({ '/:id?': CampaignsPage })
