import {
  CANON_PARTS,
  type CanonicalDetail,
  type CanonicalSentence,
  type CanonPart,
  type Iod,
  type Triplet,
} from '@iodine/contracts'
import { hasStatus, paths, SectionLink, useAction, useSections } from '@iodine/mfe-kit'
import {
  BackButton,
  Button,
  Card,
  DateTime,
  DayBars,
  EmptyState,
  formatCount,
  LoadingPanel,
  LoadMore,
  Page,
  PageHeader,
  SkeletonCards,
  SourceLink,
} from '@iodine/ui'
import { GraphIcon, LinkIcon, MergeColumnsIcon } from '@iodine/ui/icons'
import { useParams, useSearchParams } from '@iodine/ui/router'
import { lazy, Suspense, useMemo, useState } from 'react'
import { clockText, graphNodeOf, nameOf, narrativeOf, reachText, sinceText } from '../model/canonical'
import { timeline } from '../model/timeline'
import { readDays, useCanonical, useCanonicalState, useDecide, useSentences } from '../queries/canonical'
import { useReadNarrative } from '../queries/narrative'
import { useTripletIods } from '../queries/triplet-iods'
import styles from './CanonicalNarrativePage.module.css'
import { useConvertDialog } from './ConvertDialog'
import listStyles from './NarrativesPage.module.css'
import { Parts } from './Parts'
import { TripletIod } from './TripletIod'

const MergeDialog = lazy(() => import('./MergeDialog'))
const SplitDialog = lazy(() => import('./SplitDialog'))

/** The page of a canonical narrative: its timeline, sources and variants, and each sentence in its text. */
export function CanonicalNarrativePage() {
  const { id = '' } = useParams()
  const [search] = useSearchParams()
  const userId = search.get('user_id')
  const sections = useSections()
  const query = useCanonical(id, userId)
  useCanonicalState(userId === null)
  const back = () => sections.open(paths.canonicalNarratives({ user_id: userId ?? undefined }))
  return (
    <Page>
      <BackButton text="All canonical narratives" onClick={back} />
      {hasStatus(query.error, 404) || hasStatus(query.error, 422) ? (
        <>
          <PageHeader title="Canonical narrative" />
          <EmptyState
            icon={<LinkIcon />}
            title="This narrative does not exist any more"
            description="It was merged or split, or its texts were deleted."
            action={<Button text="All canonical narratives" onClick={back} />}
          />
        </>
      ) : (
        <LoadingPanel
          query={query}
          errorTitle="Unable to load this narrative"
          skeleton={<SkeletonCards count={3} lines={4} className={listStyles.list} />}
        >
          {narrative => <Narrative key={narrative.id} narrative={narrative} isOwn={userId === null} />}
        </LoadingPanel>
      )}
    </Page>
  )
}

function Narrative({ narrative, isOwn }: { narrative: CanonicalDetail; isOwn: boolean }) {
  const sections = useSections()
  const [isMerging, setMerging] = useState(false)
  const [splitting, setSplitting] = useState<CanonPart | null>(null)
  const [source, setSource] = useState<string | null>(null)
  const bars = useMemo(() => timeline(narrative.days), [narrative.days])
  const showGraph = () => sections.open(paths.graph({ canonical: true, node: graphNodeOf(narrative) }))
  const open = (id: string) => sections.open(paths.canonicalNarrative(id), { replace: true })
  const { merge, split } = useDecide(narrative.id, open)
  return (
    <>
      <PageHeader
        title={nameOf(narrative)}
        subtitle={`${reachText(narrative)}${sinceText(narrative)}`}
        actions={
          isOwn && (
            <>
              <Button icon={<MergeColumnsIcon />} text="Merge…" onClick={() => setMerging(true)} />
              <Button icon={<GraphIcon />} text="Show in graph" onClick={showGraph} />
            </>
          )
        }
      />
      <div className={styles.top}>
        <Card className={styles.card}>
          <h2 className={styles.title}>Variants</h2>
          <p className={styles.muted}>
            The number beside a variant counts the triplets that contain it. The numbers of each part add up
            to this narrative’s {formatCount(narrative.triplets)}{' '}
            {narrative.triplets === 1 ? 'triplet' : 'triplets'}. A sentence may contain several triplets.
          </p>
          <div className={styles.members}>
            {CANON_PARTS.map(part => (
              <Members
                key={part}
                part={part}
                members={narrative.members[part]}
                onSplit={isOwn ? () => setSplitting(part) : undefined}
              />
            ))}
          </div>
        </Card>
        <Card className={styles.card}>
          <h2 className={styles.title}>Over time</h2>
          <p className={styles.muted}>{clockText(narrative)}</p>
          {bars.length > 0 ? (
            <DayBars label="Sentences over time" series={['sentences']} days={bars} />
          ) : (
            <p className={styles.muted}>No sentences were found in the texts.</p>
          )}
        </Card>
      </div>
      <Sources narrative={narrative} source={source} onSource={setSource} />
      {isOwn ? (
        <Sentences id={narrative.id} source={source} />
      ) : (
        <p className={styles.muted}>Only their author can see the sentences.</p>
      )}
      <Suspense fallback={null}>
        <MergeDialog
          isOpen={isMerging}
          narrative={narrative}
          onMerge={merge}
          onClose={() => setMerging(false)}
        />
        <SplitDialog
          part={splitting}
          narrative={narrative}
          onSplit={split}
          onClose={() => setSplitting(null)}
        />
      </Suspense>
    </>
  )
}

const PART_TITLES = { subject: 'Subject', verb: 'Verb', object: 'Object' }
const SPELLINGS_MAX = 12

interface MembersProps {
  part: CanonPart
  members: CanonicalDetail['members'][CanonPart]
  /** Undefined for the narratives of other users. */
  onSplit: (() => void) | undefined
}

function Members({ part, members, onSplit }: MembersProps) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? members : members.slice(0, SPELLINGS_MAX)
  return (
    <section className={styles.part} aria-label={PART_TITLES[part]}>
      <header className={styles.partHeader}>
        <h3 className={styles.partTitle}>{PART_TITLES[part]}</h3>
        {onSplit && members.length > 1 && (
          <Button
            size="small"
            variant="minimal"
            text="Split…"
            aria-label={`Split the ${part}`}
            onClick={onSplit}
          />
        )}
      </header>
      {members.some(({ why }) => why === 'rule') && (
        <p className={styles.muted}>Includes variants merged by {onSplit ? 'you' : 'the owner'}.</p>
      )}
      <ul className={styles.spellings}>
        {shown.map(({ key, label, times }) => (
          <li key={key}>
            <bdi className={listStyles[part]}>{label}</bdi>{' '}
            <span className={styles.muted}>
              {times > 0 ? `×${formatCount(times)}` : 'only in other narratives'}
            </span>
          </li>
        ))}
      </ul>
      {members.length > shown.length && (
        <Button
          size="small"
          variant="minimal"
          text={`Show all ${formatCount(members.length)}`}
          onClick={() => setWhole(true)}
        />
      )}
    </section>
  )
}

interface SourcesProps {
  narrative: CanonicalDetail
  /** '' for texts without a source; null for all. */
  source: string | null
  onSource: (source: string | null) => void
}

function Sources({ narrative: { by_source }, source, onSource }: SourcesProps) {
  if (by_source.length < 2) return null
  return (
    <section aria-labelledby="canonical-sources">
      <h2 id="canonical-sources" className={styles.heading}>
        Sources
      </h2>
      <ul className={styles.sources}>
        {by_source.map(({ src, sentences }) => {
          const name = src ?? ''
          const isChosen = source === name
          return (
            <li key={name}>
              <Button
                size="small"
                variant="outlined"
                ellipsizeText
                active={isChosen}
                aria-pressed={isChosen}
                text={src ?? 'Without a source'}
                title={src ?? undefined}
                endIcon={<span className={styles.muted}>{formatCount(sentences)}</span>}
                onClick={() => onSource(isChosen ? null : name)}
              />
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function Sentences({ id, source }: { id: string; source: string | null }) {
  const [search, setSearch] = useSearchParams()
  const days = readDays(search)
  const { from, to, zone = 'UTC' } = days
  const query = useSentences(id, source, days)
  const narratives = useMemo(() => query.items?.map(narrativeOf), [query.items])
  const iodOf = useTripletIods(narratives)
  const readNarrative = useReadNarrative()
  const { dialog, convert } = useConvertDialog()
  const { run: readAndConvert } = useAction({
    mutationFn: ({ sentence }: { sentence: CanonicalSentence; triplet: Triplet }) =>
      readNarrative(sentence.narrative_id),
    onSuccess: (narrative, { triplet }) => convert(narrative, triplet),
    failed: 'Unable to load the text',
  })
  return (
    <section aria-labelledby="canonical-sentences">
      <h2 id="canonical-sentences" className={styles.heading}>
        Sentences{query.items && ` (${formatCount(query.total ?? 0)})`}
      </h2>
      {from && (
        <p className={styles.muted}>
          Of texts analyzed {from === to ? `on ${from}` : `from ${from} to ${to}`} ({zone}).{' '}
          <Button size="small" variant="minimal" text="Show all" onClick={() => setSearch({})} />
        </p>
      )}
      <LoadingPanel
        query={query}
        errorTitle="Unable to load the sentences"
        skeleton={<SkeletonCards count={3} lines={2} className={styles.sentences} />}
        empty={<p className={styles.muted}>No sentences found.</p>}
      >
        {sentences => (
          <>
            <ul className={styles.sentences} aria-label="Sentences">
              {sentences.map(sentence => (
                <Sentence
                  key={`${sentence.narrative_id} ${sentence.place?.start ?? ''}`}
                  sentence={sentence}
                  iodOf={iodOf}
                  onConvert={triplet => void readAndConvert({ sentence, triplet })}
                />
              ))}
            </ul>
            <LoadMore query={query.more} text="Show more sentences" />
          </>
        )}
      </LoadingPanel>
      {dialog}
    </section>
  )
}

interface SentenceProps {
  sentence: CanonicalSentence
  iodOf: (triplet: Triplet) => Iod | undefined
  onConvert: (triplet: Triplet) => void
}

function Sentence({ sentence, iodOf, onConvert }: SentenceProps) {
  const { narrative_id, src, posted_at, created_at, place, before, after, text_length } = sentence
  const [triplet] = narrativeOf(sentence).triplets
  return (
    <li>
      <Card className={styles.sentence} compact>
        <p className={styles.words}>
          {place ? (
            <>
              {place.start > before.length && '…'}
              <span className={styles.muted}>{before}</span>
              <mark>{sentence.sentence}</mark>
              <span className={styles.muted}>{after}</span>
            </>
          ) : (
            <span className={styles.muted}>No sentence found for this triplet. The text begins: {after}</span>
          )}
          {(place?.end ?? 0) + after.length < text_length && '…'}
        </p>
        <ul className={styles.triplets} aria-label="Extracted triplets">
          {sentence.triplets.map(({ id, subject, verb, object }) => (
            <li key={id}>
              <Parts
                parts={{ subject: { label: subject }, verb: { label: verb }, object: { label: object } }}
              />
            </li>
          ))}
        </ul>
        <footer className={styles.footer}>
          <span className={styles.source}>{src ? <SourceLink source={src} /> : 'Without a source'}</span>
          <span>
            {posted_at ? 'posted' : 'analyzed'} <DateTime value={posted_at ?? created_at} />
          </span>
          <SectionLink to={paths.narrative(narrative_id, place ?? undefined)}>Show in text</SectionLink>
          {triplet && (
            <TripletIod
              className={styles.iod}
              triplet={triplet}
              iod={iodOf(triplet)}
              onConvert={() => onConvert(triplet)}
            />
          )}
        </footer>
      </Card>
    </li>
  )
}
