import { defineParcel } from '@iodine/mfe-kit'
import { CommunityPage } from './pages/CommunityPage'

export const parcel = defineParcel(CommunityPage)
