import { Button } from '@iodine/ui'
import { EyeOnIcon, EyeOpenIcon } from '@iodine/ui/icons'
import { type ComponentProps, useState } from 'react'
import { type NewWatch, useWatchActions, useWatches } from './queries'
import { hasSubject } from './subject'

const LABELS = { en: ['Watch', 'Watching'], fr: ['Suivre', 'Suivi'] } as const

export interface WatchButtonProps
  extends Pick<ComponentProps<typeof Button>, 'className' | 'size' | 'variant'> {
  subject: NewWatch
  /** Completes the label, such as 'this search'. */
  about?: string
  /** Language of the label and the toasts; default English. */
  lang?: 'fr'
}

/** A toggle that watches a subject. It changes at once, and back if the service rejects the change. */
export function WatchButton({ subject, about, lang, ...look }: WatchButtonProps) {
  const { data, error } = useWatches()
  const { add, remove } = useWatchActions(lang)
  const stored = data?.find(watch => hasSubject(watch, subject))
  const isPending = add.isPending || remove.isPending
  /** The state after the running change. */
  const [wanted, setWanted] = useState(false)
  const isWatched = isPending ? wanted : Boolean(stored)
  const toggle = () => {
    if (isPending) return
    setWanted(!stored)
    void (stored ? remove.run(stored) : add.run(subject))
  }
  const [watch, watching] = LABELS[lang ?? 'en']
  return (
    <Button
      {...look}
      lang={lang ?? 'en'}
      icon={isWatched ? <EyeOnIcon /> : <EyeOpenIcon />}
      text={[isWatched ? watching : watch, about].filter(Boolean).join(' ')}
      active={isWatched}
      aria-pressed={isWatched}
      // After a failed load, a click creates the watch or finds the existing one.
      disabled={!data && !error}
      onClick={toggle}
    />
  )
}
