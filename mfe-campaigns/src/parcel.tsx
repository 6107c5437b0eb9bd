import { defineParcel } from '@iodine/mfe-kit'
import { CampaignsPage } from './pages/CampaignsPage'

export const parcel = defineParcel(CampaignsPage)
