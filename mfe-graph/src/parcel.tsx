import { defineParcel } from '@iodine/mfe-kit'
import { GraphPage } from './pages/GraphPage'

export const parcel = defineParcel({ '/': GraphPage })
