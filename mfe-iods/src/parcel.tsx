import { defineParcel } from '@iodine/mfe-kit'
import { IodsRoutes } from './pages/IodsRoutes'

export const parcel = defineParcel(IodsRoutes)
