import { paths } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { Button, Card } from '@iodine/ui'
import { CrossIcon, TickCircleIcon, TimeIcon } from '@iodine/ui/icons'
import { Link } from '@iodine/ui/router'
import { useState } from 'react'
import { useLoaded } from '../app/use-loaded'
import styles from './Overview.module.css'

const keyOf = (userId: string) => `iodine:first-steps:${userId}`

const isOver = (userId: string): boolean => localStorage.getItem(keyOf(userId)) !== null
const setOver = (userId: string): void => {
  try {
    localStorage.setItem(keyOf(userId), 'over')
  } catch {
    // If the storage is full, the next visit shows them again.
  }
}

/** Returns whether the first steps are shown to the user, and a function that closes them permanently. */
export function useFirstSteps(): { isShown: boolean; close: () => void } {
  const { id } = useHost().session.user
  const [isShown, setShown] = useState(() => !isOver(id))
  const close = () => {
    setOver(id)
    setShown(false)
  }
  return { isShown, close }
}

/** The steps that set up a new account. Once all are done, the next visit hides them. */
export function FirstSteps({ onClose }: { onClose: () => void }) {
  const { api, session } = useHost()
  const { user } = session
  const { data: usage } = useLoaded(async signal => {
    const read = await api.call('GET /profile/usage', { signal })
    if (user.username && user.has_openai_key && read.records?.used && read.iods?.used) setOver(user.id)
    return read
  })
  const used = (name: 'records' | 'iods') => (usage?.[name]?.used ?? 0) > 0
  const steps = [
    { text: 'Choose a username', to: paths.profile(), isDone: user.username !== null },
    {
      text: 'Connect the extension and collect a first post',
      to: paths.data(),
      isDone: used('records'),
      other: { text: 'import what you have', to: paths.importData() },
    },
    { text: 'Create a first IOD', to: paths.iods(), isDone: used('iods') },
    { text: 'Add your AI key to analyze texts', to: paths.profile(), isDone: user.has_openai_key },
  ]
  const isAllDone = steps.every(({ isDone }) => isDone)
  return (
    <Card className={`${styles.card} ${styles.steps}`}>
      <h2 className={styles.cardTitle}>
        {isAllDone ? 'All set up' : 'Getting started'}
        <Button
          className={styles.close}
          variant="minimal"
          size="small"
          icon={<CrossIcon />}
          aria-label="Close the first steps"
          onClick={onClose}
        />
      </h2>
      <ul className={styles.list}>
        {steps.map(({ text, to, isDone, other }) => (
          <li key={text}>
            {isDone ? (
              <>
                <TickCircleIcon className={styles.done} title="Done" />
                <s>{text}</s>
              </>
            ) : (
              <>
                <TimeIcon className={styles.later} title="To do" />
                <span>
                  <Link to={to}>{text}</Link>
                  {other && (
                    <>
                      , or <Link to={other.to}>{other.text}</Link>
                    </>
                  )}
                </span>
              </>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}
