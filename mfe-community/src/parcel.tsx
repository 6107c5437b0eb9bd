import { defineParcel } from '@iodine/mfe-kit'
import { CommunityRoutes } from './pages/CommunityRoutes'

export const parcel = defineParcel(CommunityRoutes)
