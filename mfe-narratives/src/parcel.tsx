import { defineParcel } from '@iodine/mfe-kit'
import { NarrativesPage } from './pages/NarrativesPage'

export const parcel = defineParcel(NarrativesPage)
