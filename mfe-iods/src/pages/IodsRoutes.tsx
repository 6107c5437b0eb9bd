import { Route, Routes } from '@iodine/ui/router'
import { IodsPage } from './IodsPage'

/** The section's routes. An IOD's side panel is beside the list, with a URL of its own. */
export function IodsRoutes() {
  return (
    <Routes>
      <Route path="/:iodId?" element={<IodsPage />} />
      <Route path="*" element={<IodsPage />} />
    </Routes>
  )
}
