import type { CoordinationRun, RunParameters } from '@iodine/contracts'
import { errorToast, formatSpan, useAction } from '@iodine/mfe-kit'
import {
  Button,
  Callout,
  Classes,
  EmptyState,
  ErrorCallout,
  formatAmount,
  formatCount,
  formatDateTime,
  HTMLSelect,
  LoadingPanel,
  Page,
  PageHeader,
  ProgressBar,
  Switch,
  saveFile,
  Tag,
  truncate,
} from '@iodine/ui'
import { GraphIcon, MaximizeIcon, MinimizeIcon, TrashIcon } from '@iodine/ui/icons'
import { ConfirmDialog } from '@iodine/ui/overlays'
import { useSearchParams } from '@iodine/ui/router'
import { type ReactNode, useMemo, useState } from 'react'
import { type FileFindings, pairKey } from '../model/analyze-file'
import { CO_SHARE_KINDS, type CoShares, drawnCoShares } from '../model/co-shares'
import { edgesCsv } from '../model/edge-list'
import { createNetwork } from '../model/network'
import { isUnderWay, useAbout, useCoShares, useRunCommands, useRuns } from '../queries/runs'
import { analyze } from '../stage/analyze'
import { AccountCard, EdgeCard } from './CoShareCards'
import { CoShareLegend } from './CoShareLegend'
import styles from './CoSharesPage.module.css'
import { PairTable } from './CoShareTable'
import { FilePairs, LeftOut, RunPairs } from './Evidence'
import { GraphTabs } from './GraphTabs'
import { GraphView } from './GraphView'
import { KIND_LABELS, RunForm } from './RunForm'

interface FileResult {
  name: string
  windowS: number
  findings: FileFindings
}

/** The page of accounts that share the same content within a short time: runs over records, or a file. */
export function CoSharesPage() {
  const [search, setSearch] = useSearchParams()
  const runs = useRuns()
  const [expanded, setExpanded] = useState(false)
  const [file, setFile] = useState<FileResult | null>(null)
  const [removing, setRemoving] = useState<CoordinationRun | null>(null)

  const about = useAbout(search)
  const requestedId = search.get('run')
  const hasSubject = about.fetchStatus === 'fetching' || about.data !== undefined
  // A subject from another section has no run yet.
  const latest = requestedId || hasSubject ? undefined : runs.data?.[0]
  const run = runs.data?.find(({ id }) => id === requestedId) ?? latest
  const found = useCoShares(!file && run?.state === 'done' ? run.id : undefined)

  const open = (id: string | null) => {
    setFile(null)
    setSearch({ tab: 'co-shares', ...(id && { run: id }) })
  }
  const { begin, remove } = useRunCommands(open)
  const read = useAction({
    mutationFn: async ([chosen, { window_s, min_participation }]: [File, RunParameters]) =>
      analyze({ text: await chosen.text(), windowS: window_s, minParticipation: min_participation }),
    onSuccess: (answer, [chosen, { window_s }]) => {
      if ('problem' in answer) return
      setSearch({ tab: 'co-shares' })
      setFile({ name: chosen.name, windowS: window_s, findings: answer.findings })
    },
    done: answer => ('problem' in answer ? errorToast(null, answer.problem) : null),
    failed: () => errorToast(null, 'The file could not be read'),
  })

  return (
    <Page>
      <PageHeader
        title="Co-shares"
        subtitle="Accounts that share the same links, texts, pictures or hashtags within a short time"
        actions={
          <Button
            icon={expanded ? <MinimizeIcon /> : <MaximizeIcon />}
            text={expanded ? 'Collapse' : 'Expand'}
            onClick={() => setExpanded(!expanded)}
          />
        }
      />
      <GraphTabs selected="co-shares">
        {about.isError && (
          <ErrorCallout
            title="The subject of this link could not be loaded"
            error={about.error}
            onRetry={() => void about.refetch()}
            retrying={about.isFetching}
          />
        )}
        <RunForm
          key={`${run?.id ?? ''} ${about.data?.name ?? ''}`}
          initial={run}
          about={about.data}
          busy={begin.isPending || read.isPending || about.isFetching}
          onStart={question => void begin.run(question)}
          onFile={(...all) => void read.run(all)}
        />
        <LoadingPanel
          query={runs}
          errorTitle="Unable to load the runs"
          skeleton={<div className={`${styles.skeleton} ${Classes.SKELETON}`} aria-hidden />}
        >
          {all => (
            <>
              {(all.length > 0 || file) && (
                <div className={styles.bar}>
                  <HTMLSelect
                    aria-label="Run"
                    value={file ? 'file' : (run?.id ?? '')}
                    onChange={event => {
                      if (event.target.value !== 'file') open(event.target.value)
                    }}
                  >
                    {file && <option value="file">{file.name} (this file only)</option>}
                    {!file && !run && <option value="">{requestedId ? 'Deleted run' : 'New run'}</option>}
                    {all.map(each => (
                      <option key={each.id} value={each.id}>
                        {nameOf(each)}
                      </option>
                    ))}
                  </HTMLSelect>
                  {!file && run && (
                    <Button
                      variant="minimal"
                      icon={<TrashIcon />}
                      aria-label="Remove this run"
                      title="Remove this run"
                      onClick={() => setRemoving(run)}
                    />
                  )}
                </div>
              )}
              {file ? (
                <>
                  <Totals
                    counts={[
                      formatAmount(file.findings.shares, 'share'),
                      formatAmount(file.findings.pairs, 'pair of shares', 'pairs of shares'),
                      formatAmount(file.findings.accounts, 'account'),
                      formatAmount(file.findings.edges, 'pair of accounts', 'pairs of accounts'),
                    ]}
                    windowS={file.windowS}
                    notes={[
                      file.findings.rejected > 0 &&
                        `${formatAmount(file.findings.rejected, 'row was', 'rows were')} left out: without an object, an account, a post or a time`,
                      file.findings.truncatedObjects > 0 && cutNote(file.findings.truncatedObjects),
                      file.findings.edges > file.findings.coShares.edges.length &&
                        `only the ${formatCount(file.findings.coShares.edges.length)} pairs of accounts with the most pairs of shares are shown`,
                    ]}
                  />
                  <CoSharesView
                    key={file.name}
                    coShares={file.findings.coShares}
                    threshold={file.findings.threshold}
                    expanded={expanded}
                    evidence={(a, b) => <FilePairs pairs={file.findings.evidence[pairKey(a, b)] ?? []} />}
                  />
                </>
              ) : run ? (
                <RunResult run={run}>
                  <LoadingPanel query={found} errorTitle="Unable to load the network">
                    {coShares => (
                      <CoSharesView
                        key={run.id}
                        coShares={coShares}
                        threshold={run.totals?.threshold ?? null}
                        expanded={expanded}
                        evidence={(a, b) => <RunPairs run={run.id} a={a} b={b} />}
                      />
                    )}
                  </LoadingPanel>
                </RunResult>
              ) : (
                <EmptyState
                  icon={<GraphIcon />}
                  title="Find co-shares in your records, or open a CSV with shares"
                />
              )}
            </>
          )}
        </LoadingPanel>
      </GraphTabs>
      <ConfirmDialog
        isOpen={removing !== null}
        title="Remove run"
        confirmLabel="Remove"
        onConfirm={async () => removing && remove.run(removing.id)}
        onClose={() => setRemoving(null)}
      >
        {removing &&
          `The run of ${nameOf(removing)} and its network are deleted. To get them back, start the run again.`}
      </ConfirmDialog>
    </Page>
  )
}

const nameOf = ({ created_at, kinds, window_s, scope, about, state }: CoordinationRun): string =>
  `${formatDateTime(created_at)} · ${kinds.map(kind => KIND_LABELS[kind].toLowerCase()).join(', ')} · within ${formatSpan(window_s)}${
    scope === 'shared' ? ' · with shared records' : ''
  }${about ? ` · about ${truncate(about.name, 40)}` : ''}${state === 'done' ? '' : ` · ${state}`}`

const leftOut = (count: number, what: string) => `${formatAmount(count, 'post')} without ${what} left out`

const cutNote = (objects: number) =>
  `${formatAmount(objects, 'object has', 'objects have')} too many pairs: only a part was compared`

function RunResult({ run, children }: { run: CoordinationRun; children: ReactNode }) {
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
      {children}
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
