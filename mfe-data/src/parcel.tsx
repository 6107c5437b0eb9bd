import { defineParcel } from '@iodine/mfe-kit'
import { DataPage } from './pages/DataPage'

export const parcel = defineParcel({ '/': DataPage })
