import { defineParcel } from '@iodine/mfe-kit'
import { CampaignsRoutes } from './pages/CampaignsRoutes'

export const parcel = defineParcel(CampaignsRoutes)
