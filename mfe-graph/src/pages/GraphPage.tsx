import { Loading } from '@iodine/ui'
import { useSearchParams } from '@iodine/ui/router'
import { lazy, Suspense } from 'react'
import { CO_SHARES } from './GraphTabs'
import { TripletsPage } from './TripletsPage'

const CoSharesPage = lazy(() => import('./CoSharesPage').then(page => ({ default: page.CoSharesPage })))

/** The section's page: the graph of triplets, or that of co-shares. */
export function GraphPage() {
  const [search] = useSearchParams()
  if (search.get('tab') !== CO_SHARES) return <TripletsPage />
  return (
    <Suspense fallback={<Loading />}>
      <CoSharesPage />
    </Suspense>
  )
}
