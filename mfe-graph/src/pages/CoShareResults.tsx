import type { CoordinationRun } from '@iodine/contracts'
import { formatSpan } from '@iodine/mfe-kit'
import {
  Button,
  Callout,
  EmptyState,
  formatAmount,
  formatCount,
  LoadingPanel,
  ProgressBar,
  Switch,
  saveFile,
  Tag,
} from '@iodine/ui'
import { GraphIcon } from '@iodine/ui/icons'
import { type ReactNode, useMemo, useState } from 'react'
import { type FileFindings, pairKey } from '../model/analyze-file'
import { CO_SHARE_KINDS, type CoShares, drawnCoShares } from '../model/co-shares'
import { edgesCsv } from '../model/edge-list'
import { createNetwork } from '../model/network'
import { isUnderWay, useCoShares } from '../queries/runs'
import { AccountCard, EdgeCard } from './CoShareCards'
import { CoShareLegend } from './CoShareLegend'
import styles from './CoSharesPage.module.css'
import { PairTable } from './CoShareTable'
import { FilePairs, LeftOut, RunPairs } from './Evidence'
import { GraphView } from './GraphView'

export interface FileResult {
  name: string
  windowS: number
  findings: FileFindings
}

/** The result of a file. */
export function FileView({
  file: { name, windowS, findings },
  expanded,
}: {
  file: FileResult
  expanded: boolean
}) {
  return (
    <>
      <Totals
        counts={[
          formatAmount(findings.shares, 'share'),
          formatAmount(findings.pairs, 'pair of shares', 'pairs of shares'),
          formatAmount(findings.accounts, 'account'),
          formatAmount(findings.edges, 'pair of accounts', 'pairs of accounts'),
        ]}
        windowS={windowS}
        notes={[
          findings.rejected > 0 &&
            `${formatAmount(findings.rejected, 'row was', 'rows were')} left out: without an object, an account, a post or a time`,
          findings.truncatedObjects > 0 && cutNote(findings.truncatedObjects),
          findings.edges > findings.coShares.edges.length &&
            `only the ${formatCount(findings.coShares.edges.length)} pairs of accounts with the most pairs of shares are shown`,
        ]}
      />
      <CoSharesView
        key={name}
        coShares={findings.coShares}
        threshold={findings.threshold}
        expanded={expanded}
        evidence={(a, b) => <FilePairs pairs={findings.evidence[pairKey(a, b)] ?? []} />}
      />
    </>
  )
}

const leftOut = (count: number, what: string) => `${formatAmount(count, 'post')} without ${what} left out`

const cutNote = (objects: number) =>
  `${formatAmount(objects, 'object has', 'objects have')} too many pairs: only a part was compared`

/** The result of a run, or its progress. */
export function RunView({ run, expanded }: { run: CoordinationRun; expanded: boolean }) {
  const found = useCoShares(run.state === 'done' ? run.id : undefined)
  if (run.state === 'failed')
    return (
      <Callout intent="danger" title="This run failed">
        {run.problem}. Choose a shorter period or compare less content.
      </Callout>
    )
  if (isUnderWay(run))
    return (
      <div className={styles.progress} role="status">
        <p>{run.state === 'queued' ? 'Queued…' : 'Comparing shares…'}</p>
        <ProgressBar value={run.progress} intent="primary" />
      </div>
    )
  const { totals, truncated } = run
  return (
    <>
      {totals && (
        <Totals
          counts={[
            formatAmount(totals.posts, 'post'),
            formatAmount(totals.shares, 'share'),
            formatAmount(totals.pairs, 'pair of shares', 'pairs of shares'),
            formatAmount(totals.accounts, 'account'),
            formatAmount(totals.edges, 'pair of accounts', 'pairs of accounts'),
          ]}
          windowS={run.window_s}
          notes={[
            totals.without_time > 0 && leftOut(totals.without_time, 'time'),
            totals.without_account > 0 && leftOut(totals.without_account, 'account'),
            truncated.shares && 'too many shares: only a part was compared',
            truncated.objects > 0 && cutNote(truncated.objects),
            truncated.edges && 'only the pairs of accounts with the most pairs of shares are shown',
          ]}
        />
      )}
      {totals && totals.without_time + totals.without_account > 0 && <LeftOut key={run.id} run={run.id} />}
      <LoadingPanel query={found} errorTitle="Unable to load the network">
        {coShares => (
          <CoSharesView
            key={run.id}
            coShares={coShares}
            threshold={totals?.threshold ?? null}
            expanded={expanded}
            evidence={(a, b) => <RunPairs run={run.id} a={a} b={b} />}
          />
        )}
      </LoadingPanel>
    </>
  )
}

interface TotalsProps {
  counts: string[]
  windowS: number
  notes: (string | false)[]
}

function Totals({ counts, windowS, notes }: TotalsProps) {
  const said = notes.filter(note => note !== false)
  return (
    <div className={styles.totals}>
      <ul className={styles.badges} aria-label="Counts">
        {counts.map(count => (
          <li key={count}>
            <Tag minimal round>
              {count}
            </Tag>
          </li>
        ))}
      </ul>
      <p className={styles.notes}>
        A share is one link, text, picture or hashtag (object) of a post. Two accounts that share the same
        object within {formatSpan(windowS)} form a pair of shares.
      </p>
      {said.length > 0 && <p className={styles.notes}>{said.join(' · ')}</p>}
    </div>
  )
}

interface CoSharesViewProps {
  coShares: CoShares
  threshold: number | null
  expanded: boolean
  evidence: (a: string, b: string) => ReactNode
}

function CoSharesView({ coShares, threshold, expanded, evidence }: CoSharesViewProps) {
  const [only, setOnly] = useState(false)
  const network = useMemo(
    () => createNetwork(drawnCoShares(coShares, only), CO_SHARE_KINDS),
    [coShares, only],
  )
  if (coShares.edges.length === 0)
    return (
      <EmptyState
        icon={<GraphIcon />}
        title="No two accounts share the same content within this time. Try a longer time window, other content or a lower minimum of shares per account"
      />
    )
  const types = [...new Set(coShares.nodes.map(({ type }) => type))]
  return (
    <>
      {threshold !== null && (
        <Switch
          className={styles.only}
          checked={only}
          label={`Significant pairs of accounts only: more than ${formatAmount(Math.floor(threshold), 'pair')} of shares (99th percentile of 100 runs with shuffled times)`}
          onChange={event => setOnly(event.currentTarget.checked)}
        />
      )}
      {network.nodes.length === 0 ? (
        <EmptyState
          icon={<GraphIcon />}
          title="No pair of accounts is significant: runs with shuffled times find as many pairs of shares"
        />
      ) : (
        <GraphView
          network={network}
          expanded={expanded}
          label="Co-shares graph"
          fileName="co-shares"
          legend={<CoShareLegend types={types} />}
          saving={
            <Button
              size="small"
              text="CSV"
              aria-label="Save as CSV"
              onClick={() =>
                saveFile(
                  `co-shares_${new Date().toISOString().slice(0, 10)}.csv`,
                  new Blob([edgesCsv(network.links.map(({ edge }) => edge))], { type: 'text/csv' }),
                )
              }
            />
          }
          linkTable={slot => <PairTable {...slot} network={network} />}
          nodeCard={slot => <AccountCard {...slot} network={network} />}
          linkCard={slot => <EdgeCard {...slot} network={network} evidence={evidence} />}
        />
      )}
    </>
  )
}
