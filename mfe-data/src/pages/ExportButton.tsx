import type { Source } from '@iodine/contracts'
import { SOURCE_LABELS } from '@iodine/mfe-kit'
import { Button, FormGroup, formatAmount, formatCount, HTMLSelect, Radio, Spinner } from '@iodine/ui'
import { ExportIcon } from '@iodine/ui/icons'
import { Dialog, DialogActions, DialogBody } from '@iodine/ui/overlays'
import { useId, useState } from 'react'
import { type Analyzed, analyzedText } from '../model/analyzed'
import { type Choice, EXPORT_FORMATS, type ExportFormat, scopeOf } from '../model/export-records'
import { useExportRecords } from '../queries/export'

const LABELS: Record<ExportFormat, string> = {
  csv: 'CSV, for spreadsheets',
  ndjson: 'NDJSON, one record per line',
  json: 'JSON',
  zeeschuimer: 'NDJSON for 4CAT, short videos only',
}

export interface ExportButtonProps {
  /** The open tab, the searched text and filters, and the ids of the selected records; null while no records are selected. */
  source: Source
  term: string
  analyzed: Analyzed
  chosen: ReadonlySet<string> | null
}

/** Describes the records of the open tab. */
const shownText = ({ source, term, analyzed }: ExportButtonProps): string =>
  [SOURCE_LABELS[source], term && `that contain “${term}”`, analyzedText(analyzed)].filter(Boolean).join(' ')

/** The button and dialog that export records as a file. */
export function ExportButton(view: ExportButtonProps) {
  const { chosen } = view
  const [isOpen, setOpen] = useState(false)
  const [choice, setChoice] = useState<Choice>('shown')
  const [format, setFormat] = useState<ExportFormat>('csv')
  const records = useExportRecords(() => setOpen(false))
  const id = useId()
  const selected = chosen?.size ?? 0
  const current = choice === 'selected' && selected === 0 ? 'shown' : choice
  const choices: [Choice, string][] = [
    ['shown', shownText(view)],
    ...(selected > 0
      ? [['selected', `Selected: ${formatAmount(selected, 'record')}`] as [Choice, string]]
      : []),
    ['all', 'All my data'],
  ]
  const close = () => {
    records.cancel()
    setOpen(false)
  }
  return (
    <>
      <Button
        icon={<ExportIcon />}
        text="Export"
        onClick={() => {
          setChoice(selected > 0 ? 'selected' : 'shown')
          setOpen(true)
        }}
      />
      <Dialog
        isOpen={isOpen}
        onClose={close}
        title="Export my data"
        canOutsideClickClose={!records.isPending}
      >
        <DialogBody>
          <FormGroup label="Records" role="radiogroup">
            {choices.map(([value, label]) => (
              <Radio
                key={value}
                name={id}
                label={label}
                checked={current === value}
                disabled={records.isPending}
                onChange={() => setChoice(value)}
              />
            ))}
          </FormGroup>
          <FormGroup label="Format" labelFor={`${id}f`}>
            <HTMLSelect
              id={`${id}f`}
              fill
              value={format}
              disabled={records.isPending}
              options={EXPORT_FORMATS.map(value => ({ value, label: LABELS[value] }))}
              onChange={({ currentTarget }) => setFormat(currentTarget.value as ExportFormat)}
            />
          </FormGroup>
        </DialogBody>
        <DialogActions
          text="Export"
          disabled={records.isPending}
          onClick={() => records.run(scopeOf(current, view), format)}
          cancel={{ onClick: close }}
        >
          <span role="status">
            {records.isPending && (
              <>
                <Spinner size={16} aria-hidden tagName="span" /> {formatCount(records.read)} read
              </>
            )}
          </span>
        </DialogActions>
      </Dialog>
    </>
  )
}
