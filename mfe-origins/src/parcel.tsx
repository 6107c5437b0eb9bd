import { defineParcel } from '@iodine/mfe-kit'
import { OriginsPage } from './pages/OriginsPage'

export const parcel = defineParcel({ '/': OriginsPage })
