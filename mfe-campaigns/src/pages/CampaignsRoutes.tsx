import { Route, Routes } from '@iodine/ui/router'
import { CampaignsPage } from './CampaignsPage'

/** The section's routes. A campaign's details are a dialog above the list, with a URL of their own. */
export function CampaignsRoutes() {
  return (
    <Routes>
      <Route path="/:campaignId?" element={<CampaignsPage />} />
      <Route path="*" element={<CampaignsPage />} />
    </Routes>
  )
}
