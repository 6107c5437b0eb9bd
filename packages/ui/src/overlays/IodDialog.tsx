import { FormGroup, HTMLSelect, InputGroup, TextArea } from '@blueprintjs/core'
import type { Category } from '@iodine/contracts'
import { useDraft } from '../hooks/use-draft'
import { useMissingField } from '../hooks/use-missing-field'
import { Dialog } from './Dialog'
import { DialogForm } from './DialogForm'

export interface IodDraft {
  value: string
  category: Category | ''
  description: string
  source: string
}

export interface IodDialogProps {
  isOpen: boolean
  title: string
  /** Initial values of the fields. */
  initial?: Partial<IodDraft>
  /** Choices of the category field; without them the field is omitted. */
  categories?: readonly Category[]
  labels?: Partial<Record<keyof IodDraft, string>>
  /** Fields labelled as required. */
  required?: readonly (keyof IodDraft)[]
  withSource?: boolean
  /** Name of the draft that stores the entered values; see `useDraft`. */
  draftName?: string
  submitLabel?: string
  /** Whether the submit button is enabled; by default always. */
  canSubmit?: (draft: IodDraft) => boolean
  /** Creates the IOD. The dialog closes on true and stays open with the entered values on false. */
  onSubmit: (draft: IodDraft) => Promise<boolean>
  onClose: () => void
}

const EMPTY: IodDraft = { value: '', category: '', description: '', source: '' }
const LABELS = { value: 'Value', category: 'Category', description: 'Description', source: 'Source' }

/** The form that creates an IOD, shared by My Data, the IOD list and Narratives. */
export function IodDialog({ isOpen, title, ...form }: IodDialogProps) {
  return (
    <Dialog isOpen={isOpen} onClose={form.onClose} title={title} canOutsideClickClose={false}>
      <IodForm {...form} />
    </Dialog>
  )
}

function IodForm(props: Omit<IodDialogProps, 'isOpen' | 'title'>) {
  const { categories, required = [], withSource, submitLabel = 'Create IOD', canSubmit } = props
  const initial = { ...EMPTY, ...props.initial }
  const [draft, setDraft] = useDraft<IodDraft>(props.draftName, initial)
  const { groupProps, fieldProps, setMissing } = useMissingField<keyof IodDraft>()
  const labels = { ...LABELS, ...props.labels }
  const set = (change: Partial<IodDraft>) => {
    setMissing(undefined)
    setDraft(current => ({ ...current, ...change }))
  }
  const group = (field: keyof IodDraft) => ({
    ...groupProps(field),
    label: labels[field],
    labelInfo: required.includes(field) ? '(required)' : undefined,
  })
  const text = (field: 'value' | 'description', autoFocus: boolean) => (
    <FormGroup {...group(field)}>
      <TextArea
        {...fieldProps(field)}
        fill
        autoResize
        autoFocus={autoFocus}
        value={draft[field]}
        onChange={event => set({ [field]: event.target.value })}
      />
    </FormGroup>
  )
  /** Marks and focuses the first empty required field; the caller shows the message. */
  const submit = () => {
    setMissing(required.find(field => draft[field].trim() === ''))
    return props.onSubmit(draft)
  }
  return (
    <DialogForm
      submitLabel={submitLabel}
      canSubmit={canSubmit ? canSubmit(draft) : true}
      onSubmit={submit}
      onClose={props.onClose}
      onDiscard={() => setDraft(initial)}
    >
      {text('value', true)}
      {categories && (
        <FormGroup {...group('category')}>
          <HTMLSelect
            {...fieldProps('category')}
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
      {text('description', false)}
      {withSource && (
        <FormGroup {...group('source')}>
          <InputGroup
            {...fieldProps('source')}
            type="url"
            value={draft.source}
            onValueChange={source => set({ source })}
          />
        </FormGroup>
      )}
    </DialogForm>
  )
}
