import { defineParcel } from '@iodine/mfe-kit'
import { DataPage } from './pages/DataPage'
import { ImportPage } from './pages/import/ImportPage'

export const parcel = defineParcel({ '/': DataPage, '/import': ImportPage })
