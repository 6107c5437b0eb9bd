import { defineParcel } from '@iodine/mfe-kit'
import { NarrativesRoutes } from './pages/NarrativesRoutes'

export const parcel = defineParcel(NarrativesRoutes)
