import { CATEGORIES, type Category, hasStatus, type Iod, type NewIod } from '@iodine/contracts'
import { errorDetail } from '@iodine/ui'
import { IodDialog, type IodDialogProps, type IodDraft } from '@iodine/ui/overlays'
import { useAction } from './action'
import { type Quote, useAddQuote } from './add-quote'
import type { Toast } from './host-contract'
import { useIodErrorToast } from './iod-error-toast'
import { useSections } from './sections'
import { useHost } from './use-host'

const CONFLICT = 409

/** The categories of a form: all except NARRATIVE_TRIPLET, whose IODs are created in Narratives. */
export const FORM_CATEGORIES = CATEGORIES.filter(category => category !== 'NARRATIVE_TRIPLET')

export interface IodFormProps extends Omit<IodDialogProps, 'onSubmit'> {
  /** Builds the request body; by default that of an IOD entered manually. */
  iodOf?: (entered: IodDraft & { category: Category }) => NewIod
  /** Shown when a required field is empty. */
  missing?: Toast
  /** The toast of a success; `ways` are its key and its buttons that open the IOD. */
  done?: (ways: Pick<Toast, 'key' | 'actions'>) => Partial<Toast>
  /** The toast of a failure; its description is shown if the server returns none. */
  failed: Partial<Toast> & { description: string }
  /** Opens the existing IOD; by default its side panel in the section of IODs. */
  onOpen?: (id: string) => void
  /** Reads the quote that becomes evidence of the IOD; null if there is none. */
  readQuote?: () => Quote | null | Promise<Quote | null>
  onCreated?: (iod: Iod) => unknown
  onRefused?: () => unknown
  /** Called once the quote is evidence of the existing IOD. */
  onQuoted?: () => void
}

const manualIod = ({ source, ...entered }: IodDraft & { category: Category }): NewIod => ({
  ...entered,
  source_type: 'MANUAL',
  source: source.trim() || null,
})

/** The dialog that creates an IOD with its quote. */
export function IodForm(props: IodFormProps) {
  const {
    iodOf = manualIod,
    missing,
    done,
    failed,
    onOpen,
    readQuote,
    onCreated,
    onRefused,
    onQuoted,
    ...dialog
  } = props
  const { api, notify, session } = useHost()
  const { afterCreation } = useSections()
  const errorToastOf = useIodErrorToast(onOpen)
  const addQuote = useAddQuote()
  const addEvidence = useAction({
    mutationFn: async (iodId: string) => {
      const quote = await readQuote?.()
      if (quote) await addQuote({ iodId, quote, isNew: true })
    },
    failed: error => ({
      title: 'The IOD was created, but its quote could not be added',
      description: errorDetail(error, 'Its sentence could not be loaded.'),
      status: 'warning',
    }),
  })
  const create = useAction({
    mutationFn: (body: NewIod) => api.call('POST /iods', { body }),
    onSuccess: iod => {
      void addEvidence.run(iod.id)
      return onCreated?.(iod)
    },
    onError: onRefused,
    done: ({ id }) => {
      const ways = { key: id, actions: afterCreation(id) }
      return done ? done(ways) : { title: 'IOD created', ...ways }
    },
    failed: async (error, iod) => {
      const quote = hasStatus(error, CONFLICT) && onQuoted ? await readQuoteSafely() : null
      const offer = quote && onQuoted && { quote, onAdded: onQuoted }
      const { description, ...change } = failed
      return errorToastOf(error, iod, description, change, offer)
    },
  })
  const readQuoteSafely = async () => {
    try {
      return (await readQuote?.()) ?? null
    } catch {
      return null
    }
  }
  const submit = async (entered: IodDraft) => {
    if (!missing || dialog.required?.every(field => entered[field].trim() !== ''))
      return create.run(iodOf(entered as IodDraft & { category: Category }))
    notify(missing)
    return false
  }
  return (
    <IodDialog
      {...dialog}
      {...(dialog.draftName && { draftName: `${session.user.id}:${dialog.draftName}` })}
      onSubmit={submit}
    />
  )
}
