import { type Category, isSourceReference, type NewIod } from '@iodine/contracts'
import { FORM_CATEGORIES } from '@iodine/mfe-kit'
import {
  Button,
  FormGroup,
  formatAmount,
  formatCount,
  HTMLSelect,
  InputGroup,
  ProgressBar,
  TextArea,
} from '@iodine/ui'
import { Dialog, DialogBody, DialogFooter } from '@iodine/ui/overlays'
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
          <FormGroup
            label="Source"
            labelInfo="(optional URL)"
            labelFor={`${id}s`}
            {...(isSourceWrong && {
              intent: 'danger' as const,
              helperText: 'Enter an http(s) URL, or leave it empty',
            })}
          >
            <InputGroup
              id={`${id}s`}
              type="url"
              disabled={isBusy}
              value={source}
              onValueChange={setSource}
              {...(isSourceWrong && { intent: 'danger' as const })}
            />
          </FormGroup>
        </form>
        <div className={styles.progress} aria-live="polite">
          {progress && (
            <>
              <ProgressBar
                value={progress.done / progress.total}
                intent="primary"
                stripes={false}
                aria-label="IODs created"
              />
              <p className={styles.meta}>
                {formatCount(progress.done)} of {formatCount(progress.total)} processed
              </p>
            </>
          )}
        </div>
      </DialogBody>
      <DialogFooter
        actions={
          <>
            <Button text={isBusy ? 'Stop' : 'Cancel'} onClick={isBusy ? onStop : onClose} />
            <Button
              type="submit"
              form={id}
              intent="primary"
              text={`Create ${formatAmount(count, 'IOD')}`}
              disabled={isSourceWrong}
              loading={isBusy}
            />
          </>
        }
      />
    </Dialog>
  )
}
