import { defineParcel } from '@iodine/mfe-kit'
import { IodsPage } from './pages/IodsPage'

/** An IOD's side panel is beside the list, with a URL of its own. */
export const parcel = defineParcel({ '/:id?': IodsPage })
