import { defineParcel } from '@iodine/mfe-kit'
import { lazy } from 'react'
import { CampaignsPage } from './pages/CampaignsPage'

const MatrixPage = lazy(() =>
  import(/* webpackChunkName: "matrix" */ './pages/MatrixPage').then(page => ({ default: page.MatrixPage })),
)

/** A campaign's details are a dialog above the list and have their own URL. */
export const parcel = defineParcel({ '/matrix': MatrixPage, '/:id?': CampaignsPage })
