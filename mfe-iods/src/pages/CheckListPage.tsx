import { useHost } from '@iodine/mfe-kit'
import {
  BackButton,
  Button,
  ErrorCallout,
  formatCount,
  Page,
  PageHeader,
  ProgressText,
  useDraft,
} from '@iodine/ui'
import { EditIcon } from '@iodine/ui/icons'
import { useNavigate } from '@iodine/ui/router'
import { useEffect, useRef, useState } from 'react'
import type { CheckedValue } from '../model/check-list'
import { checkValues, type Progress } from '../queries/check-list'
import { CheckedList } from './CheckedList'
import styles from './CheckListPage.module.css'
import { ListInput } from './ListInput'

const EMPTY = { text: '' }

/** The state of a check of a list. */
interface Check {
  values: readonly CheckedValue[]
  progress: Progress
  isDone: boolean
  error?: unknown
}

/** Looks up a list of values: which are IODs, in the user's data, in campaigns, or new. */
export function CheckListPage() {
  const { session } = useHost()
  const navigate = useNavigate()
  const [draft, setDraft] = useDraft(`${session.user.id}:check-list`, EMPTY)
  const { check, start, stop, setValues } = useCheck()
  return (
    <Page>
      <div className={check?.isDone ? styles.section : undefined}>
        <BackButton text="IODs" onClick={() => navigate('/')} />
        <PageHeader
          title="Check a list"
          subtitle="See which values are known as IODs, occur in your data, or are in campaigns."
          actions={check?.isDone && <Button icon={<EditIcon />} text="Edit list" onClick={stop} />}
        />
        {!check && <ListInput text={draft.text} onTextChange={text => setDraft({ text })} onCheck={start} />}
        {check && !check.isDone && (
          <Checking check={check} onRetry={() => start(check.values)} onStop={stop} />
        )}
        {check?.isDone && <CheckedList values={check.values} onChange={setValues} />}
      </div>
    </Page>
  )
}

interface CheckingProps {
  check: Check
  onRetry: () => void
  onStop: () => void
}

function Checking({ check: { progress, error }, onRetry, onStop }: CheckingProps) {
  return (
    <div className={styles.input}>
      {error === undefined ? (
        <div className={styles.progress} aria-live="polite">
          <ProgressText value={progress.done / Math.max(1, progress.total)} label="Values checked">
            {formatCount(progress.done)} of {formatCount(progress.total)} checked
          </ProgressText>
        </div>
      ) : (
        <ErrorCallout title="The list could not be checked" error={error} onRetry={onRetry} />
      )}
      <div className={styles.buttons}>
        <Button text={error === undefined ? 'Cancel' : 'Back to the list'} onClick={onStop} />
      </div>
    </div>
  )
}

function useCheck() {
  const { api } = useHost()
  const [check, setCheck] = useState<Check | null>(null)
  const running = useRef<AbortController>(null)
  useEffect(() => () => running.current?.abort(), [])

  const start = async (values: readonly CheckedValue[]) => {
    const controller = new AbortController()
    running.current = controller
    const { signal } = controller
    const set = (change: Partial<Check>) =>
      signal.aborted ||
      setCheck(current => ({ values, progress: { done: 0, total: 0 }, isDone: false, ...current, ...change }))
    set({ error: undefined, isDone: false })
    try {
      set({ values: await checkValues(api, values, signal, progress => set({ progress })), isDone: true })
    } catch (error) {
      set({ error })
    }
  }
  const stop = () => {
    running.current?.abort()
    setCheck(null)
  }
  const setValues = useRef((change: (values: readonly CheckedValue[]) => readonly CheckedValue[]) =>
    setCheck(current => current && { ...current, values: change(current.values) }),
  ).current
  return { check, start: (values: readonly CheckedValue[]) => void start(values), stop, setValues }
}
