import { Route, Routes } from '@iodine/ui/router'
import { ProfilePage } from './ProfilePage'
import { UsersPage } from './UsersPage'

export function CommunityRoutes() {
  return (
    <Routes>
      <Route path="profile/:userId" element={<ProfilePage />} />
      <Route path="*" element={<UsersPage />} />
    </Routes>
  )
}
