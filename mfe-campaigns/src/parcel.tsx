import { defineParcel } from '@iodine/mfe-kit'
import { lazy } from 'react'
import { CampaignsPage } from './pages/CampaignsPage'

const MatrixPage = lazy(() =>
  import(/* webpackChunkName: "matrix" */ './pages/MatrixPage').then(page => ({ default: page.MatrixPage })),
)

const ReportPage = lazy(() =>
  import(/* webpackChunkName: "report" */ './pages/reports/ReportPage').then(page => ({
    default: page.ReportPage,
  })),
)
const QuotedReportsPage = lazy(() =>
  import(/* webpackChunkName: "report" */ './pages/reports/QuotedReportsPage').then(page => ({
    default: page.QuotedReportsPage,
  })),
)

/** A campaign's details are a dialog above the list and have their own URL. */
export const parcel = defineParcel({
  '/matrix': MatrixPage,
  '/reports': QuotedReportsPage,
  '/reports/:id': ReportPage,
  '/:id?': CampaignsPage,
})
