import { hasStatus, paths, useSections } from '@iodine/mfe-kit'
import { BackButton, EmptyState, LoadingPanel, Page, PageHeader, SkeletonCards } from '@iodine/ui'
import { ChatIcon } from '@iodine/ui/icons'
import { useParams, useSearchParams } from '@iodine/ui/router'
import { useMemo } from 'react'
import { rangeFromUrl } from '../model/text-range'
import { useNarrative } from '../queries/narrative'
import { useDeleteNarrative } from '../queries/narratives'
import { useTripletIods } from '../queries/triplet-iods'
import { useConvertDialog } from './ConvertDialog'
import { NarrativeCard } from './NarrativeCard'
import styles from './NarrativesPage.module.css'

/** The page of one narrative. The URL contains its id and the sentence to show. Triplets of the graph link to it. */
export function NarrativePage() {
  const { id = '' } = useParams()
  const [search] = useSearchParams()
  const { open } = useSections()
  const query = useNarrative(id)
  const { data, error } = query
  const sentence = useMemo(() => rangeFromUrl(search, data?.text ?? ''), [search, data])
  const shown = useMemo(() => data && [data], [data])
  const iodOf = useTripletIods(shown)
  const { deleting, remove, restore } = useDeleteNarrative()
  const { dialog, convert } = useConvertDialog()
  const leave = async () => {
    if (await remove({ id, onUndone: () => void restore(id) })) open(paths.narratives())
  }
  return (
    <Page>
      <BackButton text="All narratives" onClick={() => open(paths.narratives())} />
      <PageHeader title="Narrative" subtitle="An analyzed text with its triplets" />
      {hasStatus(error, 404) || hasStatus(error, 422) ? (
        <EmptyState icon={<ChatIcon />} title="This narrative does not exist any more" />
      ) : (
        <LoadingPanel
          query={query}
          errorTitle="Unable to load narratives"
          skeleton={<SkeletonCards count={1} lines={6} className={styles.list} />}
        >
          {narrative => (
            <NarrativeCard
              narrative={narrative}
              iodOf={iodOf}
              deleting={deleting.includes(id)}
              onDelete={() => void leave()}
              onConvert={triplet => convert(narrative, triplet)}
              sentence={sentence}
            />
          )}
        </LoadingPanel>
      )}
      {dialog}
    </Page>
  )
}
