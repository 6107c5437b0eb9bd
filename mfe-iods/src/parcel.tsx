import { defineParcel } from '@iodine/mfe-kit'
import { IodsPage } from './pages/IodsPage'

export const parcel = defineParcel(IodsPage)
