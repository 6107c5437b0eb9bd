import { Loading } from '@iodine/ui'
import { Navigate, Route, Routes } from '@iodine/ui/router'
import { lazy, Suspense } from 'react'

const Dashboard = lazy(() => import('./Dashboard').then(module => ({ default: module.Dashboard })))

export function App() {
  return (
    <Suspense fallback={<Loading />}>
      <Routes>
        <Route path="/" element={<Navigate to="/login" replace />} />
        <Route path="/dashboard" element={<Navigate to="/dashboard/overview" replace />} />
        <Route path="/dashboard/:section/*" element={<Dashboard />} />
      </Routes>
    </Suspense>
  )
}
