import { Loading, Tab, Tabs } from '@iodine/ui'
import { useSearchParams } from '@iodine/ui/router'
import { lazy, Suspense } from 'react'
import styles from './GraphPage.module.css'
import { TripletsPage } from './TripletsPage'

const CoSharesPage = lazy(() => import('./CoSharesPage').then(page => ({ default: page.CoSharesPage })))

const CO_SHARES = 'co-shares'

/** The graphs: of narratives' triplets, and of accounts that share the same. The URL says which. */
export function GraphPage() {
  const [search, setSearch] = useSearchParams()
  const isCoShares = search.get('tab') === CO_SHARES
  const tabs = (
    <Tabs
      className={styles.tabs}
      id="graphs"
      selectedTabId={isCoShares ? CO_SHARES : 'triplets'}
      onChange={id => setSearch(id === CO_SHARES ? { tab: CO_SHARES } : {})}
      animate={false}
    >
      <Tab id="triplets" title="Triplets" />
      <Tab id={CO_SHARES} title="Co-shares" />
    </Tabs>
  )
  if (!isCoShares) return <TripletsPage tabs={tabs} />
  return (
    <Suspense fallback={<Loading label="Loading..." />}>
      <CoSharesPage tabs={tabs} />
    </Suspense>
  )
}
