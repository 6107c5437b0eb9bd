import { defineParcel } from '@iodine/mfe-kit'
import { AnalyticsPage } from './pages/AnalyticsPage'

export const parcel = defineParcel({ '/': AnalyticsPage })
