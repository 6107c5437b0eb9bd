import { defineParcel } from '@iodine/mfe-kit'
import { CheckListPage } from './pages/CheckListPage'
import { IodsPage } from './pages/IodsPage'

/** An IOD's side panel is beside the list and has its own URL. */
export const parcel = defineParcel({ '/check': CheckListPage, '/:id?': IodsPage })
