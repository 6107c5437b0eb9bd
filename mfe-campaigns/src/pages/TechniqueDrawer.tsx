import type { TechniqueQuote } from '@iodine/contracts'
import { findTechnique, pageOf, successorsOf, type TechniqueUse } from '@iodine/exchange/disarm'
import { paths, SectionLink, SideDrawer, useHost, useKeptFocus } from '@iodine/mfe-kit'
import { QuoteText } from '@iodine/mfe-kit/evidence'
import {
  Button,
  Card,
  DateTime,
  EmptyState,
  Facts,
  formatAmount,
  formatCount,
  LoadingPanel,
  SourceLink,
  useRetained,
} from '@iodine/ui'
import { CitationIcon, TrashIcon } from '@iodine/ui/icons'
import { ConfirmButton } from '@iodine/ui/overlays'
import { nameOf } from '../model/campaigns'
import { useCampaign } from '../queries/campaigns'
import { useCampaignsWith, useDeleteQuote, useGloss, useQuotes } from '../queries/quotes'
import type { CampaignTechniques } from '../queries/techniques'
import styles from './TechniqueDrawer.module.css'

export interface TechniqueDrawerProps {
  /** The technique; null if the drawer is closed. */
  tid: string | null
  /** Its counts; undefined if it is not used. */
  use: TechniqueUse | undefined
  /** The campaign; undefined for all, and for two. */
  campaignId: string | undefined
  /** Techniques of the campaign, which can be changed. */
  techniques: CampaignTechniques | undefined
  onClose: () => void
}

/** A technique of the matrix: what it is, the quotes and IODs that it rests on, and the campaigns that use it. */
export function TechniqueDrawer({ tid, onClose, ...about }: TechniqueDrawerProps) {
  const shown = useRetained(tid)
  return (
    <SideDrawer
      isOpen={tid !== null}
      title="Technique"
      about={shown ? `${shown} ${findTechnique(shown)?.name ?? ''}` : undefined}
      onClose={onClose}
    >
      {shown && <Technique key={shown} tid={shown} {...about} />}
    </SideDrawer>
  )
}

type About = Omit<TechniqueDrawerProps, 'tid' | 'onClose'> & { tid: string }

function Technique({ tid, use, campaignId, techniques }: About) {
  const technique = findTechnique(tid)
  const gloss = useGloss(tid)
  const isCurrent = technique?.until === null
  return (
    <>
      {gloss.data && <p>{gloss.data}</p>}
      <Facts
        className={styles.facts}
        facts={{
          Tactic: technique && `${technique.tactic.name} (${technique.tactic.phase})`,
          Release: technique && !isCurrent && `Until ${technique.until}: not in the latest release`,
          Campaigns: !campaignId && use?.campaigns !== undefined && formatCount(use.campaigns),
          Quotes: use?.quotes !== undefined && formatCount(use.quotes),
          IODs: use?.iods !== undefined && formatCount(use.iods),
          Description: isCurrent && (
            <a href={pageOf(tid)} target="_blank" rel="noopener noreferrer">
              DISARM’s page
            </a>
          ),
        }}
      />
      {techniques && <Choice tid={tid} isCurrent={isCurrent} techniques={techniques} />}
      {campaignId && use && <Quotes campaignId={campaignId} tid={tid} />}
      <Campaigns tid={tid} campaignId={campaignId} />
    </>
  )
}

/** Buttons that add the technique to the campaign, remove it, or replace an obsolete one. */
function Choice({
  tid,
  isCurrent,
  techniques,
}: {
  tid: string
  isCurrent: boolean
  techniques: CampaignTechniques
}) {
  const { query, add, removeUndoably, replace } = techniques
  const used = query.data?.find(({ id }) => id === tid)
  const successors = used && !isCurrent ? successorsOf(tid) : undefined
  const name = (id: string) => `${id} ${findTechnique(id)?.name ?? ''}`
  return (
    <div className={styles.actions}>
      {used ? (
        <>
          <p className={styles.meta}>
            Added <DateTime value={used.at} />
            {used.by_username !== null && ` by ${used.by_username}`}
          </p>
          {successors && (
            <Button
              text={`Replace with ${successors.ids.map(name).join(' and ')}`}
              onClick={() => replace(tid, successors.ids)}
            />
          )}
          <Button text="Remove from campaign" onClick={() => removeUndoably(tid, name(tid))} />
        </>
      ) : (
        isCurrent && (
          <Button intent="primary" text="Add to campaign" disabled={!query.data} onClick={() => add(tid)} />
        )
      )}
    </div>
  )
}

function Quotes({ campaignId, tid }: { campaignId: string; tid: string }) {
  const query = useQuotes(campaignId, tid)
  return (
    <section className={styles.section} aria-label="Quotes">
      <h3>Quotes</h3>
      <LoadingPanel
        query={query}
        compact
        errorTitle="Failed to load the quotes"
        empty={
          <EmptyState
            icon={<CitationIcon size={40} />}
            title="No quotes yet"
            description="“Propose techniques” finds techniques in a text, each with a sentence."
          />
        }
      >
        {quotes => (
          <>
            {quotes.map(quote => (
              <Quote key={quote.id} quote={quote} campaignId={campaignId} />
            ))}
            <Iods quotes={quotes} campaignId={campaignId} />
          </>
        )}
      </LoadingPanel>
    </section>
  )
}

const SOURCES = { narrative: 'Narrative', evidence: 'Evidence', text: 'Pasted text' } as const

function Quote({ quote, campaignId }: { quote: TechniqueQuote; campaignId: string }) {
  const { user } = useHost().session
  const { data: campaign } = useCampaign(campaignId)
  const remove = useDeleteQuote(campaignId)
  useKeptFocus()
  const { source, url, by, by_username, at } = quote
  return (
    <Card className={styles.quote} role="article" aria-label="Quote">
      <QuoteText {...quote} />
      <p className={styles.meta}>
        {SOURCES[source.kind]}
        {url && (
          <>
            {' · '}
            <SourceLink source={url} />
          </>
        )}
        {' · '}
        <DateTime value={at} />
        {by_username !== null && ` by ${by_username}`}
      </p>
      {(by === user.id || campaign?.created_by_id === user.id) && (
        <ConfirmButton
          button={{ size: 'small', icon: <TrashIcon size={14} />, text: 'Delete' }}
          title="Delete quote"
          confirmLabel="Delete"
          onConfirm={() => remove.run(quote)}
        >
          The technique stays in the campaign. Evidence and narratives keep their text.
        </ConfirmButton>
      )}
    </Card>
  )
}

/** IODs whose evidence the quotes are. */
function Iods({ quotes, campaignId }: { quotes: readonly TechniqueQuote[]; campaignId: string }) {
  const { data: campaign } = useCampaign(campaignId)
  const ids = [...new Set(quotes.flatMap(({ iod_id }) => iod_id ?? []))]
  if (ids.length === 0) return null
  const labelOf = (id: string) => campaign?.iods.find(iod => iod.id === id)?.value ?? id
  return (
    <>
      <h3>IODs</h3>
      <ul className={styles.list}>
        {ids.map(id => (
          <li key={id}>
            <SectionLink to={paths.iod(id)}>{labelOf(id)}</SectionLink>
          </li>
        ))}
      </ul>
    </>
  )
}

function Campaigns({ tid, campaignId }: { tid: string; campaignId: string | undefined }) {
  const query = useCampaignsWith(tid)
  const title = campaignId ? 'Other campaigns' : 'Campaigns'
  return (
    <section className={styles.section} aria-label={title}>
      <h3>{title}</h3>
      <LoadingPanel query={query} compact errorTitle="Failed to load the campaigns">
        {({ items, total }) => {
          const others = items.filter(({ id }) => id !== campaignId)
          const hidden = (total ?? items.length) - items.length
          return others.length === 0 ? (
            <p className={styles.meta}>None</p>
          ) : (
            <ul className={styles.list}>
              {others.map(campaign => (
                <li key={campaign.id}>
                  <SectionLink to={paths.campaign(campaign.id)}>{nameOf(campaign)}</SectionLink>
                </li>
              ))}
              {hidden > 0 && <li>and {formatAmount(hidden, 'other')}</li>}
            </ul>
          )
        }}
      </LoadingPanel>
    </section>
  )
}
