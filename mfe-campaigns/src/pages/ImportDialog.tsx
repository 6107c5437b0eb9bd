import type { CampaignDetail, CampaignImport } from '@iodine/contracts'
import { errorDetail, isApiError } from '@iodine/mfe-kit'
import { Button, Callout, formatCount, HTMLTable, ProgressBar, Tag } from '@iodine/ui'
import { DocumentIcon } from '@iodine/ui/icons'
import { Dialog, DialogBody, DialogFooter } from '@iodine/ui/overlays'
import { useEffect, useRef, useState } from 'react'
import { useForeignImport } from '../queries/foreign-import'
import { formatForServer, type ImportPlan, type Planned, useImport } from '../queries/import'
import { useNotices } from '../queries/notices'
import { ForeignPlan } from './ForeignPlan'
import styles from './ImportDialog.module.css'

/** Maximum number of entries in the preview. Refused ones come first. */
const LISTED_MAX = 200

const STATES = {
  new: { label: 'New', intent: 'success' },
  known: { label: 'Known', intent: 'primary' },
  member: { label: 'In this campaign', intent: 'none' },
  refused: { label: 'Refused', intent: 'danger' },
} as const

export interface ImportDialogProps {
  campaign: CampaignDetail
  isOpen: boolean
  onClose: () => void
}

/** What an import brings: objects that are kept, or IODs alone. */
const amountOf = ({ format, objects, iods }: CampaignImport): string =>
  format === 'json' || format === 'csv' ? `${formatCount(iods)} IOD(s)` : `${formatCount(objects)} object(s)`

/** Imports the IODs of a file, after a preview of the changes. */
export function ImportDialog({ campaign, isOpen, onClose }: ImportDialogProps) {
  const [plan, setPlan] = useState<ImportPlan | null>(null)
  const [fault, setFault] = useState<string | null>(null)
  const [isReading, setReading] = useState(false)
  const [done, setDone] = useState<number | null>(null)
  const { plan: planImport, run } = useImport(campaign.id)
  const foreign = useForeignImport(campaign.id)
  /** The import of a file of another tool, which the server plans and applies. */
  const [kept, setKept] = useState<CampaignImport | null>(null)
  const [makesIods, setMakesIods] = useState(true)
  const notices = useNotices()
  const [file, setFile] = useState<File | null>(null)
  const input = useRef<HTMLInputElement>(null)
  /** The file that somebody waits for: none once the dialog is closed. */
  const wanted = useRef<File | null>(null)

  useEffect(
    () => () => {
      wanted.current = null
    },
    [],
  )
  useEffect(() => {
    if (!isOpen) return
    setFile(null)
    setPlan(null)
    setKept(null)
    setMakesIods(true)
    setFault(null)
  }, [isOpen])

  /** Takes back a plan that is not applied. */
  const discard = () => {
    if (kept?.state === 'planned') foreign.discard(kept)
    setKept(null)
  }
  const close = () => {
    wanted.current = null
    discard()
    onClose()
  }
  const keep = async (plan: CampaignImport) => {
    setFault(null)
    try {
      const ended = await foreign.apply(plan, makesIods, setKept, () => wanted.current === file)
      if (!ended) return
      setKept(ended)
      if (ended.state !== 'done') return
      notices.success(`${amountOf(ended)} imported`)
      onClose()
    } catch (error) {
      setFault(errorDetail(isApiError(error) ? error : null, 'The file could not be imported.'))
    }
  }
  const read = async (file: File) => {
    const isWanted = () => wanted.current === file
    wanted.current = file
    discard()
    setFile(file)
    setPlan(null)
    setFault(null)
    setReading(true)
    try {
      const format = await formatForServer(file)
      if (format) setKept(await foreign.plan(file, format, isWanted))
      else setPlan(await planImport(file))
    } catch (error) {
      const isOurs = error instanceof Error && error.name === 'UnreadableFile'
      setFault(
        isOurs ? error.message : errorDetail(isApiError(error) ? error : null, 'The file could not be read.'),
      )
    } finally {
      setReading(false)
    }
  }
  const submit = async () => {
    if (!plan) return
    setDone(0)
    const isComplete = await run(plan, setDone)
    setDone(null)
    if (isComplete) onClose()
    // After a failure the import is planned again, so that the same button imports the remaining entries.
    else if (file) await read(file)
  }
  const working = done !== null
  const isApplying = kept?.state === 'applying'
  const count = plan?.todo.length ?? 0
  const hasEvidence = plan !== null && plan.quoted.length > 0
  return (
    <Dialog
      className={styles.dialog}
      isOpen={isOpen}
      onClose={close}
      title="Import IODs"
      canOutsideClickClose={false}
      canEscapeKeyClose={!working}
      isCloseButtonShown={!working}
    >
      <DialogBody>
        <p className={styles.label}>
          A campaign exported as JSON, STIX or CSV, a CSV with value, category and description, or a STIX
          bundle or MISP events of another tool.
        </p>
        <input
          ref={input}
          hidden
          type="file"
          accept=".json,.csv,.txt,application/json,text/csv"
          onChange={event => {
            const chosen = event.target.files?.[0]
            if (chosen) void read(chosen)
            // Without this, selecting the same file again fires no event.
            event.target.value = ''
          }}
        />
        <div className={styles.file}>
          <Button
            icon={<DocumentIcon />}
            text="Choose file"
            disabled={working || isApplying}
            loading={isReading}
            onClick={() => input.current?.click()}
          />
          <span className={styles.value}>{file?.name}</span>
        </div>
        {fault && (
          <div className={styles.block} role="alert">
            <Callout intent="danger" compact>
              {fault}
            </Callout>
          </div>
        )}
        {kept && <ForeignPlan plan={kept} makesIods={makesIods} onMakesIods={setMakesIods} />}
        {plan && <Preview plan={plan} />}
        {plan && done !== null && (
          <div className={styles.block} role="status">
            <ProgressBar
              value={count ? done / count : 1}
              intent="primary"
              stripes={false}
              aria-label="IODs added"
            />
            <p className={styles.more}>
              {done} of {count} added
            </p>
          </div>
        )}
      </DialogBody>
      <DialogFooter
        actions={
          <>
            {/* What the server applies goes on without the dialog. */}
            <Button text={isApplying ? 'Close' : 'Cancel'} onClick={close} disabled={working} />
            {kept ? (
              <Button
                intent="primary"
                text={kept.state === 'failed' ? 'Go on' : `Import ${amountOf(kept)}`}
                loading={isApplying || isReading}
                onClick={() => void keep(kept)}
              />
            ) : (
              <Button
                intent="primary"
                text={count === 0 && hasEvidence ? 'Import evidence' : `Import ${count} IOD(s)`}
                disabled={count === 0 && !hasEvidence}
                loading={working || isReading}
                onClick={submit}
              />
            )}
          </>
        }
      />
    </Dialog>
  )
}

function Preview({ plan: { entries, quoted } }: { plan: ImportPlan }) {
  const count = (state: Planned['state']) => entries.filter(entry => entry.state === state).length
  const refused = entries.filter(entry => entry.state === 'refused')
  const listed = [...refused, ...entries.filter(entry => entry.state !== 'refused')].slice(0, LISTED_MAX)
  return (
    <div className={styles.block}>
      <p className={styles.counts} role="status">
        {count('new')} new, {count('known') + count('member')} known ({count('member')} already in this
        campaign), {refused.length} refused
      </p>
      <EvidenceNote entries={entries} quoted={quoted} />
      {entries.length > 0 && (
        <div className={styles.frame}>
          <HTMLTable compact className={styles.table}>
            <thead>
              <tr>
                <th scope="col">Place</th>
                <th scope="col">Value</th>
                <th scope="col">Result</th>
              </tr>
            </thead>
            <tbody>
              {listed.map(entry => (
                <tr key={entry.place}>
                  <td>{entry.place}</td>
                  <td>
                    <span className={styles.value} dir="auto">
                      {entry.state === 'refused' ? entry.value : entry.iod.value}
                    </span>
                  </td>
                  <td>
                    <Tag minimal multiline intent={STATES[entry.state].intent}>
                      {STATES[entry.state].label}
                    </Tag>
                    {entry.state === 'refused' && <div className={styles.reason}>{entry.reason}</div>}
                  </td>
                </tr>
              ))}
            </tbody>
          </HTMLTable>
        </div>
      )}
      {entries.length > listed.length && (
        <p className={styles.more}>and {formatCount(entries.length - listed.length)} more</p>
      )}
    </div>
  )
}

/** What becomes of the file's evidence; nothing if it has none. */
function EvidenceNote({ entries, quoted }: Pick<ImportPlan, 'entries' | 'quoted'>) {
  const quotes = quoted.reduce((sum, { evidence }) => sum + (evidence?.quotes.length ?? 0), 0)
  const refused = entries.reduce(
    (sum, entry) => sum + (entry.state === 'refused' ? 0 : (entry.evidence?.refused ?? 0)),
    0,
  )
  if (quotes + refused === 0) return null
  return (
    <p className={styles.more}>
      {formatCount(quotes)} quote(s) of evidence, which are added as not verified: their seals belong to the
      system that they come from.
      {refused > 0 && ` ${formatCount(refused)} can’t be read.`}
    </p>
  )
}
