import type { Triplet } from '@iodine/contracts'
import { errorDetail, useHost } from '@iodine/mfe-kit'
import { useMutation, useQueryClient } from '@iodine/mfe-kit/query'
import { Button, EmptyState, ErrorCallout, Loading, Page, PageHeader } from '@iodine/ui'
import { ChatIcon } from '@iodine/ui/icons'
import { useEffect, useState } from 'react'
import { openOf } from '../model/extractions'
import { useExtractions } from '../queries/use-extractions'
import { useNarrativeIods } from '../queries/use-narrative-iods'
import { NARRATIVES_KEY, useNarratives } from '../queries/use-narratives'
import { useOpenNarratives } from '../queries/use-open-narratives'
import { AnalyzeForm } from './AnalyzeForm'
import { ConvertDialog } from './ConvertDialog'
import { ExtractionCard } from './ExtractionCard'
import { NarrativeCard } from './NarrativeCard'
import styles from './NarrativesPage.module.css'

const DELETED_MS = 3_000

export function NarrativesPage() {
  const { api, notify } = useHost()
  const client = useQueryClient()
  const extractions = useExtractions()
  const waiting = extractions.underWay.some(extraction => extraction.phase === 'waiting')
  const list = useNarratives(waiting)
  const opened = useOpenNarratives(extractions.underWay.some(({ phase }) => phase !== 'overdue'))
  const iods = useNarrativeIods(list.narratives)
  const [converting, setConverting] = useState<Triplet | null>(null)

  const { settle } = extractions
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer of a poll is looked at, equal ones for the deadline
  useEffect(() => {
    if (list.narratives) settle(list.narratives)
  }, [list.narratives, list.dataUpdatedAt, settle])

  useEffect(() => {
    if (list.isError) notify({ status: 'error', title: 'Error', description: 'Unable to load narratives' })
  }, [list.isError, notify])

  const remove = useMutation({
    mutationFn: (id: string) => api.call('DELETE /narratives/data/:id', { params: { id } }),
    onSuccess: async () => {
      notify({ status: 'success', title: 'Narrative deleted', duration: DELETED_MS })
      await client.invalidateQueries({ queryKey: NARRATIVES_KEY })
    },
    onError: error =>
      notify({
        status: 'error',
        title: 'Error',
        description: errorDetail(error, 'Unable to delete narrative'),
      }),
  })

  return (
    <Page>
      <PageHeader title="Narratives" subtitle="Extract subject, verb and object triplets from a text" />
      <AnalyzeForm
        underWay={extractions.underWay}
        isUnderWay={extractions.isUnderWay}
        keyFault={extractions.keyFault}
        onExtract={(text, src) => extractions.extract(text, src, list.narratives ?? [])}
      />
      <section aria-labelledby="analyzed-narratives">
        <header className={styles.listHeader}>
          <h2 id="analyzed-narratives">Analyzed narratives ({list.total})</h2>
          <Legend />
        </header>
        <div className={styles.list}>
          {extractions.underWay.map(extraction => (
            <ExtractionCard
              key={`${extraction.startedAt} ${extraction.text}`}
              extraction={extraction}
              open={openOf(extraction, opened)}
              onCancel={id => void extractions.cancel(extraction, id)}
              onDismiss={() => extractions.dismiss(extraction)}
            />
          ))}
          {list.isPending && <Loading />}
          {list.isError && (
            <ErrorCallout
              title="Unable to load narratives"
              onRetry={() => void list.refetch()}
              retrying={list.isFetching}
            />
          )}
          {list.narratives?.length === 0 && extractions.underWay.length === 0 && (
            <EmptyState
              icon={<ChatIcon />}
              title="No narratives yet"
              description="Paste a text above and extract its narratives."
            />
          )}
          {list.narratives?.map(narrative => (
            <NarrativeCard
              key={narrative.id}
              narrative={narrative}
              iodOf={iods.iodOf}
              deleting={remove.isPending && remove.variables === narrative.id}
              onDelete={() => remove.mutate(narrative.id)}
              onConvert={setConverting}
            />
          ))}
          {list.hasNextPage && (
            <Button
              text="Show more narratives"
              onClick={() => void list.fetchNextPage()}
              loading={list.isFetchingNextPage}
            />
          )}
        </div>
      </section>
      <ConvertDialog
        triplet={converting}
        onClose={() => setConverting(null)}
        onCreated={iods.add}
        onRefused={iods.refetch}
      />
    </Page>
  )
}

const Legend = () => (
  <p className={styles.legend}>
    <span className={styles.subject}>Subject</span>
    <span className={styles.verb}>Verb</span>
    <span className={styles.object}>Object</span>
  </p>
)
