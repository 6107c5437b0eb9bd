import { type Category, isSourceReference, type NewIod } from '@iodine/contracts'
import { FORM_CATEGORIES } from '@iodine/mfe-kit'
import {
  FormGroup,
  formatAmount,
  formatCount,
  HTMLSelect,
  ProgressText,
  TextArea,
  TextField,
} from '@iodine/ui'
import { Dialog, DialogActions, DialogBody } from '@iodine/ui/overlays'
import { type FormEvent, useId, useState } from 'react'
import type { Progress } from '../queries/check-list'
import styles from './CheckListPage.module.css'

const PROPOSED = 'As in the table, per value'

export interface CreateListedDialogProps {
  isOpen: boolean
  /** Number of IODs to create. */
  count: number
  /** Number of processed values; null unless IODs are being created. */
  progress: Progress | null
  /** `category`: of all IODs; undefined keeps that of each value. */
  onCreate: (fields: Pick<NewIod, 'description' | 'source'>, category: Category | undefined) => void
  onStop: () => void
  onClose: () => void
}

/** The dialog that creates many IODs, with the fields that they have in common. */
export function CreateListedDialog(props: CreateListedDialogProps) {
  const { isOpen, count, progress, onCreate, onStop, onClose } = props
  const [category, setCategory] = useState(PROPOSED)
  const [description, setDescription] = useState('')
  const [source, setSource] = useState('')
  const id = useId()
  const isBusy = progress !== null
  const isSourceWrong = source.trim() !== '' && !isSourceReference(source.trim())
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isBusy || isSourceWrong) return
    const fields = { description, source: source.trim() || null }
    onCreate(fields, category === PROPOSED ? undefined : (category as Category))
  }
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={`Create ${formatAmount(count, 'IOD')}`}
      canOutsideClickClose={false}
      canEscapeKeyClose={!isBusy}
      isCloseButtonShown={!isBusy}
    >
      <DialogBody>
        <form id={id} onSubmit={submit} noValidate>
          <FormGroup label="Category" labelFor={`${id}c`}>
            <HTMLSelect
              id={`${id}c`}
              fill
              disabled={isBusy}
              value={category}
              options={[PROPOSED, ...FORM_CATEGORIES]}
              onChange={({ currentTarget }) => setCategory(currentTarget.value)}
            />
          </FormGroup>
          <FormGroup label="Description" labelInfo="(of all)" labelFor={`${id}d`}>
            <TextArea
              id={`${id}d`}
              fill
              rows={3}
              dir="auto"
              disabled={isBusy}
              value={description}
              onChange={event => setDescription(event.target.value)}
            />
          </FormGroup>
          <TextField
            label="Source"
            labelInfo="(optional URL)"
            type="url"
            disabled={isBusy}
            value={source}
            onValueChange={setSource}
            {...(isSourceWrong && {
              intent: 'danger',
              helperText: 'Enter an http(s) URL, or leave it empty',
            })}
          />
        </form>
        <div className={styles.progress} aria-live="polite">
          {progress && (
            <ProgressText value={progress.done / progress.total} label="IODs created">
              {formatCount(progress.done)} of {formatCount(progress.total)} processed
            </ProgressText>
          )}
        </div>
      </DialogBody>
      <DialogActions
        type="submit"
        form={id}
        text={`Create ${formatAmount(count, 'IOD')}`}
        disabled={isSourceWrong}
        loading={isBusy}
        cancel={isBusy ? { text: 'Stop', onClick: onStop } : { onClick: onClose }}
      />
    </Dialog>
  )
}
