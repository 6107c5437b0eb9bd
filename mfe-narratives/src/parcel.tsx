import { defineParcel } from '@iodine/mfe-kit'
import { CanonicalNarrativePage } from './pages/CanonicalNarrativePage'
import { CanonicalPage } from './pages/CanonicalPage'
import { HistoryPage } from './pages/HistoryPage'
import { NarrativePage } from './pages/NarrativePage'
import { NarrativesPage } from './pages/NarrativesPage'

export const parcel = defineParcel({
  '/': NarrativesPage,
  '/:id': NarrativePage,
  '/canonical': CanonicalPage,
  '/canonical/history': HistoryPage,
  '/canonical/:id': CanonicalNarrativePage,
})
