import type { CoordinationRun, RunParameters } from '@iodine/contracts'
import { errorToast, formatSpan, useAction } from '@iodine/mfe-kit'
import {
  Button,
  Classes,
  EmptyState,
  ErrorCallout,
  formatDateTime,
  HTMLSelect,
  LoadingPanel,
  Page,
  PageHeader,
  truncate,
} from '@iodine/ui'
import { GraphIcon, MaximizeIcon, MinimizeIcon, TrashIcon } from '@iodine/ui/icons'
import { ConfirmDialog } from '@iodine/ui/overlays'
import { useSearchParams } from '@iodine/ui/router'
import { useState } from 'react'
import { useAbout, useRunCommands, useRuns } from '../queries/runs'
import { analyze } from '../stage/analyze'
import { type FileResult, FileView, RunView } from './CoShareResults'
import styles from './CoSharesPage.module.css'
import { GraphTabs } from './GraphTabs'
import { KIND_LABELS, RunForm } from './RunForm'

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
                  <RunSelect
                    runs={all}
                    run={run}
                    file={file}
                    none={requestedId ? 'Deleted run' : 'New run'}
                    onChange={open}
                  />
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
                <FileView file={file} expanded={expanded} />
              ) : run ? (
                <RunView run={run} expanded={expanded} />
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

interface RunSelectProps {
  runs: readonly CoordinationRun[]
  run: CoordinationRun | undefined
  file: FileResult | null
  /** Text of the choice while there is no run. */
  none: string
  onChange: (id: string) => void
}

function RunSelect({ runs, run, file, none, onChange }: RunSelectProps) {
  return (
    <HTMLSelect
      aria-label="Run"
      value={file ? 'file' : (run?.id ?? '')}
      onChange={({ target }) => {
        if (target.value !== 'file') onChange(target.value)
      }}
    >
      {file && <option value="file">{file.name} (this file only)</option>}
      {!file && !run && <option value="">{none}</option>}
      {runs.map(each => (
        <option key={each.id} value={each.id}>
          {nameOf(each)}
        </option>
      ))}
    </HTMLSelect>
  )
}
