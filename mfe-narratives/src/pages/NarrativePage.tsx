import { hasStatus, paths, useSections } from '@iodine/mfe-kit'
import { BackButton, EmptyState, LoadingPanel, Page, PageHeader, SkeletonCards } from '@iodine/ui'
import { ChatIcon } from '@iodine/ui/icons'
import { useParams, useSearchParams } from '@iodine/ui/router'
import { useMemo, useState } from 'react'
import { placeOf } from '../model/place'
import { useNarrative } from '../queries/narrative'
import { useDeleteNarrative } from '../queries/narratives'
import { useTripletIods } from '../queries/triplet-iods'
import { ConvertDialog, type Said } from './ConvertDialog'
import { NarrativeCard } from './NarrativeCard'
import styles from './NarrativesPage.module.css'

/** One narrative. The URL names its id and the sentence to show, which the graph's triplets link to. */
export function NarrativePage() {
  const { id = '' } = useParams()
  const [search] = useSearchParams()
  const { open } = useSections()
  const query = useNarrative(id)
  const { data, error } = query
  const sentence = useMemo(() => placeOf(search, data?.text ?? ''), [search, data])
  const shown = useMemo(() => data && [data], [data])
  const iodOf = useTripletIods(shown)
  const { deleting, remove, restore } = useDeleteNarrative()
  const [converting, setConverting] = useState<Said | null>(null)
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
              onConvert={triplet => setConverting({ narrative, triplet })}
              sentence={sentence}
            />
          )}
        </LoadingPanel>
      )}
      <ConvertDialog
        said={converting}
        onClose={() => setConverting(null)}
        onQuoted={quoted => setConverting(current => (current === quoted ? null : current))}
      />
    </Page>
  )
}
