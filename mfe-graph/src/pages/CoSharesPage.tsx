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
import { GraphIcon, TrashIcon } from '@iodine/ui/icons'
import { ConfirmDialog } from '@iodine/ui/overlays'
import { useSearchParams } from '@iodine/ui/router'
import { useState } from 'react'
import { useAbout, useRunCommands, useRuns } from '../queries/runs'
import { analyze } from '../stage/analyze'
import { type FileResult, FileView, RunView } from './CoShareResults'
import styles from './CoSharesPage.module.css'
import { ExpandButton } from './ExpandButton'
import { GraphTabs } from './GraphTabs'
import { KIND_LABELS, RunForm } from './RunForm'

/** The page of accounts that share the same content within a short time: runs over records, or a file. */
export function CoSharesPage() {
  const [search, setSearch] = useSearchParams()
  const runs = useRuns()
  const [expanded, setExpanded] = useState(false)
  const [file, setFile] = useState<FileResult | null>(null)

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
  const read = useFile(result => {
    setSearch({ tab: 'co-shares' })
    setFile(result)
  })

  return (
    <Page>
      <PageHeader
        title="Co-shares"
        subtitle="Accounts that share the same links, texts, pictures or hashtags within a short time"
        actions={<ExpandButton expanded={expanded} onExpand={setExpanded} />}
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
                <RunBar
                  runs={all}
                  {...{ run, file }}
                  none={requestedId ? 'Deleted run' : 'New run'}
                  onChange={open}
                  onRemove={remove.run}
                />
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
    </Page>
  )
}

/** Analyzes a CSV file with the form's parameters. */
function useFile(onRead: (result: FileResult) => void) {
  return useAction({
    mutationFn: async ([chosen, { window_s, min_participation }]: [File, RunParameters]) =>
      analyze({ text: await chosen.text(), windowS: window_s, minParticipation: min_participation }),
    onSuccess: (answer, [chosen, { window_s }]) => {
      if ('problem' in answer) return
      onRead({ name: chosen.name, windowS: window_s, findings: answer.findings })
    },
    done: answer => ('problem' in answer ? errorToast(null, answer.problem) : null),
    failed: () => errorToast(null, 'The file could not be read'),
  })
}

const nameOf = ({ created_at, kinds, window_s, scope, about, state }: CoordinationRun): string =>
  `${formatDateTime(created_at)} · ${kinds.map(kind => KIND_LABELS[kind].toLowerCase()).join(', ')} · within ${formatSpan(window_s)}${
    scope === 'shared' ? ' · with shared records' : ''
  }${about ? ` · about ${truncate(about.name, 40)}` : ''}${state === 'done' ? '' : ` · ${state}`}`

interface RunBarProps {
  runs: readonly CoordinationRun[]
  run: CoordinationRun | undefined
  file: FileResult | null
  /** Text of the choice while there is no run. */
  none: string
  onChange: (id: string) => void
  onRemove: (id: string) => Promise<unknown>
}

function RunBar({ runs, run, file, none, onChange, onRemove }: RunBarProps) {
  const [removing, setRemoving] = useState<CoordinationRun | null>(null)
  return (
    <div className={styles.bar}>
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
      {!file && run && (
        <Button
          variant="minimal"
          icon={<TrashIcon />}
          aria-label="Remove this run"
          title="Remove this run"
          onClick={() => setRemoving(run)}
        />
      )}
      <ConfirmDialog
        isOpen={removing !== null}
        title="Remove run"
        confirmLabel="Remove"
        onConfirm={async () => removing && onRemove(removing.id)}
        onClose={() => setRemoving(null)}
      >
        {removing &&
          `The run of ${nameOf(removing)} and its network are deleted. To get them back, start the run again.`}
      </ConfirmDialog>
    </div>
  )
}
