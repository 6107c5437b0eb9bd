import { Route, Routes } from '@iodine/ui/router'
import { CanonicalNarrativePage } from './CanonicalNarrativePage'
import { CanonicalPage } from './CanonicalPage'
import { HistoryPage } from './HistoryPage'
import { NarrativePage } from './NarrativePage'
import { NarrativesPage } from './NarrativesPage'

export function NarrativesRoutes() {
  return (
    <Routes>
      <Route path="canonical" element={<CanonicalPage />} />
      <Route path="canonical/history" element={<HistoryPage />} />
      <Route path="canonical/:id" element={<CanonicalNarrativePage />} />
      <Route path=":id" element={<NarrativePage />} />
      <Route path="*" element={<NarrativesPage />} />
    </Routes>
  )
}
