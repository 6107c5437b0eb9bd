import { Route, Routes } from '@iodine/ui/router'
import { NarrativePage } from './NarrativePage'
import { NarrativesPage } from './NarrativesPage'

export function NarrativesRoutes() {
  return (
    <Routes>
      <Route path=":id" element={<NarrativePage />} />
      <Route path="*" element={<NarrativesPage />} />
    </Routes>
  )
}
