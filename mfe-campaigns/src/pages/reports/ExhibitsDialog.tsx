import type { CitableQuote } from '@iodine/contracts'
import {
  Checkbox,
  EmptyState,
  formatAmount,
  LoadingPanel,
  type QueryState,
  SearchInput,
  toggled,
} from '@iodine/ui'
import { Dialog, DialogActions, DialogBody } from '@iodine/ui/overlays'
import { useMemo, useState } from 'react'
import styles from './reports.module.css'

/** Number of quotes that are shown at once. */
const SHOWN_MAX = 100
/** Maximum number of exhibits of a finding. */
const EXHIBITS_MAX = 20

export interface ExhibitsDialogProps {
  isOpen: boolean
  query: QueryState<CitableQuote[]>
  chosen: readonly string[]
  onChoose: (ids: string[]) => void
  onClose: () => void
}

/** Chooses the evidence of the campaign that a finding rests on. */
export function ExhibitsDialog({ isOpen, onClose, ...props }: ExhibitsDialogProps) {
  return (
    <Dialog className={styles.dialog} isOpen={isOpen} onClose={onClose} title="Choose exhibits">
      <Choice {...props} onClose={onClose} />
    </Dialog>
  )
}

function Choice({ query, chosen, onChoose, onClose }: Omit<ExhibitsDialogProps, 'isOpen'>) {
  const [ids, setIds] = useState(chosen)
  const [text, setText] = useState('')
  const found = useMemo(() => {
    const wanted = text.trim().toLowerCase()
    return query.data?.filter(({ value, exact, url }) =>
      [value, exact, url ?? ''].some(each => each.toLowerCase().includes(wanted)),
    )
  }, [query.data, text])
  const isFull = ids.length >= EXHIBITS_MAX
  return (
    <>
      <DialogBody>
        <p className={styles.note}>
          Quotes of the campaign’s IODs. A report can quote only sealed captures that you may open.
        </p>
        <SearchInput
          className={styles.search}
          value={text}
          onChange={setText}
          placeholder="Search quotes..."
          hotkey={false}
        />
        <LoadingPanel
          query={query}
          errorTitle="Failed to load the evidence"
          empty={
            <EmptyState
              title="No evidence in this campaign"
              description="Collect a page with the extension and quote it for an IOD first."
            />
          }
        >
          {() => (
            <>
              <ul className={styles.choices} aria-label="Quotes">
                {found?.slice(0, SHOWN_MAX).map(quote => (
                  <li key={quote.id}>
                    <Checkbox
                      checked={ids.includes(quote.id)}
                      disabled={!ids.includes(quote.id) && (!quote.citable || isFull)}
                      onChange={() => setIds(toggled(ids, quote.id))}
                    >
                      <span className={styles.value} dir="auto">
                        “{quote.exact}”
                      </span>
                      <span className={styles.source} dir="auto">
                        {quote.value}
                        {quote.url && ` · ${quote.url}`}
                        {!quote.citable && ' · cannot be quoted'}
                      </span>
                    </Checkbox>
                  </li>
                ))}
              </ul>
              <p className={styles.note} role="status">
                {(found?.length ?? 0) > SHOWN_MAX
                  ? `${SHOWN_MAX} of ${formatAmount(found?.length ?? 0, 'quote')} are shown. Search for others.`
                  : formatAmount(found?.length ?? 0, 'quote')}
                {isFull && ` A finding has at most ${EXHIBITS_MAX} exhibits.`}
              </p>
            </>
          )}
        </LoadingPanel>
      </DialogBody>
      <DialogActions
        text={`Use ${formatAmount(ids.length, 'exhibit')}`}
        onClick={() => {
          onChoose([...ids])
          onClose()
        }}
        cancel={{ onClick: onClose }}
      />
    </>
  )
}
