import type { Narrative } from '@iodine/contracts'
import { useErrorToast } from '@iodine/mfe-kit'
import {
  EmptyState,
  LoadingPanel,
  LoadMore,
  Page,
  PageHeader,
  SkeletonCards,
  useLatest,
  withPlaces,
} from '@iodine/ui'
import { ChatIcon } from '@iodine/ui/icons'
import { useEffect, useState } from 'react'
import { openOf } from '../model/extractions'
import { useExtractions } from '../queries/extractions'
import { useDeleteNarrative, useNarratives } from '../queries/narratives'
import { useOpenNarratives } from '../queries/open-narratives'
import { useTripletIods } from '../queries/triplet-iods'
import { AnalyzeForm } from './AnalyzeForm'
import { useConvertDialog } from './ConvertDialog'
import { ExtractionCard } from './ExtractionCard'
import { NarrativeCard } from './NarrativeCard'
import styles from './NarrativesPage.module.css'
import { NarrativesTabs } from './NarrativesTabs'
import { RemovedCard, type RemovedNarrative } from './RemovedCard'

const SKELETONS = 3

/** The page with the form that analyzes a text, and the user's narratives. */
export function NarrativesPage() {
  const extractions = useExtractions()
  const waiting = extractions.underWay.some(extraction => extraction.phase === 'waiting')
  const list = useNarratives(waiting)
  const opened = useOpenNarratives(extractions.underWay.some(({ phase }) => phase !== 'overdue'))
  const iodOf = useTripletIods(list.items)
  const { deleting, removed, remove, restore, release } = useRemoval(list.items)
  const { dialog, convert } = useConvertDialog()

  const { settle } = extractions
  // biome-ignore lint/correctness/useExhaustiveDependencies: an equal answer counts too, because a wait may be over
  useEffect(() => {
    if (list.items) settle(list.items)
  }, [list.items, list.dataUpdatedAt, settle])

  // Repeated failures of the poll show a single toast.
  useErrorToast(list.error !== null, 'Unable to load narratives')

  return (
    <Page>
      <PageHeader title="Narratives" subtitle="Extract subject, verb and object triplets from a text" />
      <NarrativesTabs selected="texts">
        <AnalyzeForm
          extractions={extractions}
          onExtract={(text, src) => extractions.extract(text, src, list.items ?? [])}
        />
        <section aria-labelledby="analyzed-narratives">
          <header className={styles.listHeader}>
            <h2 id="analyzed-narratives">
              Analyzed narratives{list.items && ` (${list.total ?? list.items.length})`}
            </h2>
            <Legend />
          </header>
          <div className={styles.list}>
            <ExtractionCards extractions={extractions} opened={opened} />
            <LoadingPanel
              query={list}
              errorTitle="Unable to load narratives"
              skeleton={<SkeletonCards count={SKELETONS} lines={6} className={styles.list} />}
              isEmpty={narratives => narratives.length === 0 && removed.length === 0}
              empty={extractions.underWay.length === 0 && <NoNarratives />}
            >
              {narratives => (
                <>
                  {withPlaces(narratives, removed).map(({ item: narrative, place: gone }) =>
                    gone ? (
                      <RemovedCard
                        key={gone.id}
                        removed={gone}
                        onUndo={() => void restore(gone.id)}
                        onLeave={() => release(gone.id)}
                      />
                    ) : (
                      <NarrativeCard
                        key={narrative.id}
                        narrative={narrative}
                        iodOf={iodOf}
                        deleting={deleting.includes(narrative.id)}
                        onDelete={height => void remove(narrative.id, height)}
                        onConvert={triplet => convert(narrative, triplet)}
                      />
                    ),
                  )}
                  <LoadMore inline query={list.more} text="Show more narratives" />
                </>
              )}
            </LoadingPanel>
          </div>
        </section>
      </NarrativesTabs>
      {dialog}
    </Page>
  )
}

const NoNarratives = () => (
  <EmptyState
    icon={<ChatIcon />}
    title="No narratives yet"
    description="Paste a text above and extract its narratives."
  />
)

interface ExtractionCardsProps {
  extractions: ReturnType<typeof useExtractions>
  opened: ReturnType<typeof useOpenNarratives>
}

const ExtractionCards = ({ extractions, opened }: ExtractionCardsProps) =>
  extractions.underWay.map(extraction => (
    <ExtractionCard
      key={`${extraction.startedAt} ${extraction.text}`}
      extraction={extraction}
      open={openOf(extraction, opened)}
      onCancel={id => void extractions.cancel({ extraction, id })}
      onDismiss={() => extractions.dismiss(extraction)}
    />
  ))

/** Deletes narratives, keeps placeholders of deleted ones in the list, and restores them. */
function useRemoval(listed: readonly Narrative[] | undefined) {
  const { deleting, ...narratives } = useDeleteNarrative()
  const [removed, setRemoved] = useState<readonly RemovedNarrative[]>([])
  // Cards may call functions of an earlier render.
  const shown = useLatest(withPlaces(listed ?? [], removed))
  const release = (id: string) => setRemoved(all => all.filter(other => other.id !== id))
  const restore = async (id: string) => {
    if (await narratives.restore(id)) release(id)
  }
  const remove = async (id: string, height: number) => {
    if (!(await narratives.remove({ id, onUndone: () => void restore(id) }))) return
    const index = shown.current.findIndex(({ item }) => item?.id === id)
    // A single narrative needs no placeholder: no other card can move.
    if (index >= 0 && shown.current.length > 1) setRemoved(all => [...all, { id, index, height }])
  }
  return { deleting, removed, remove, restore, release }
}

const Legend = () => (
  <p className={styles.legend}>
    <span className={styles.subject}>Subject</span>
    <span className={styles.verb}>Verb</span>
    <span className={styles.object}>Object</span>
  </p>
)
