import {
  Button,
  DialogBody,
  DialogFooter,
  FormGroup,
  HTMLSelect,
  InputGroup,
  TextArea,
} from '@blueprintjs/core'
import type { Category } from '@iodine/contracts'
import { type FormEvent, useEffect, useId, useState } from 'react'
import { Dialog } from './Dialog'

export interface IodDraft {
  value: string
  category: Category | ''
  description: string
  source: string
}

export interface IodDialogProps {
  isOpen: boolean
  title: string
  /** What the fields hold when the dialog opens. */
  initial?: Partial<IodDraft>
  /** The choices of the category field; without them there is none. */
  categories?: readonly Category[]
  labels?: Partial<Record<keyof IodDraft, string>>
  /** Fields marked with an asterisk. */
  required?: readonly (keyof IodDraft)[]
  withSource?: boolean
  submitLabel?: string
  /** Whether the button may be pressed; always unless told. */
  canSubmit?: (draft: IodDraft) => boolean
  /** Creates the IOD; the dialog closes when it answers true and stays open, as filled in, when false. */
  onSubmit: (draft: IodDraft) => Promise<boolean>
  onClose: () => void
}

const EMPTY: IodDraft = { value: '', category: '', description: '', source: '' }
const LABELS = { value: 'Value', category: 'Category', description: 'Description', source: 'Source' }

/** The form that makes an IOD, as My Data, the IOD list and Narratives each need it. */
export function IodDialog(props: IodDialogProps) {
  const { isOpen, title, initial, categories, required = [], withSource, submitLabel = 'Create IOD' } = props
  const [draft, setDraft] = useState<IodDraft>({ ...EMPTY, ...initial })
  const [working, setWorking] = useState(false)
  const formId = useId()
  const labels = { ...LABELS, ...props.labels }

  // biome-ignore lint/correctness/useExhaustiveDependencies: what is typed is reset by opening alone, not by a parent's render
  useEffect(() => {
    if (isOpen) setDraft({ ...EMPTY, ...initial })
  }, [isOpen])

  const set = (change: Partial<IodDraft>) => setDraft(current => ({ ...current, ...change }))
  const group = (field: keyof IodDraft) => ({
    label: labels[field],
    labelFor: `${formId}-${field}`,
    labelInfo: required.includes(field) ? '(required)' : undefined,
  })
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setWorking(true)
    try {
      if (await props.onSubmit(draft)) props.onClose()
    } finally {
      setWorking(false)
    }
  }
  return (
    <Dialog isOpen={isOpen} onClose={props.onClose} title={title} canOutsideClickClose={false}>
      <DialogBody>
        <form id={formId} onSubmit={submit} noValidate>
          <FormGroup {...group('value')}>
            <TextArea
              id={`${formId}-value`}
              fill
              autoResize
              autoFocus
              value={draft.value}
              onChange={event => set({ value: event.target.value })}
            />
          </FormGroup>
          {categories && (
            <FormGroup {...group('category')}>
              <HTMLSelect
                id={`${formId}-category`}
                fill
                value={draft.category}
                onChange={event => set({ category: event.target.value as Category | '' })}
              >
                <option value="">Select a category</option>
                {categories.map(category => (
                  <option key={category}>{category}</option>
                ))}
              </HTMLSelect>
            </FormGroup>
          )}
          <FormGroup {...group('description')}>
            <TextArea
              id={`${formId}-description`}
              fill
              autoResize
              value={draft.description}
              onChange={event => set({ description: event.target.value })}
            />
          </FormGroup>
          {withSource && (
            <FormGroup {...group('source')}>
              <InputGroup
                id={`${formId}-source`}
                type="url"
                value={draft.source}
                onValueChange={source => set({ source })}
              />
            </FormGroup>
          )}
        </form>
      </DialogBody>
      <DialogFooter
        actions={
          <>
            <Button text="Cancel" onClick={props.onClose} />
            <Button
              type="submit"
              form={formId}
              intent="primary"
              text={submitLabel}
              loading={working}
              disabled={props.canSubmit ? !props.canSubmit(draft) : false}
            />
          </>
        }
      />
    </Dialog>
  )
}
