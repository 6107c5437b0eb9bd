import { isApiError } from '@iodine/contracts'
import { errorDetail, paths, SectionLink } from '@iodine/mfe-kit'
import { Button, Callout, formatDate } from '@iodine/ui'
import { useCounting, useOtherCounts } from '../queries/counts'
import styles from './Others.module.css'

const OF = { post: 'The same post', text: 'The same text', link: 'The same link' } as const

/** How many others have collected the same, of one of the user's records or of an IOD: asked on demand. */
export function Others({ about }: { about: { record_id: string } | { iod_id: string } }) {
  const counting = useCounting()
  const { data, error, isPending, mutate } = useOtherCounts()
  if (!counting.data) return null
  if (!counting.data.counted)
    return (
      <p className={styles.note}>
        How many others collected the same is told to those who count, too:{' '}
        <SectionLink to={paths.profile()}>My Profile</SectionLink>
      </p>
    )
  return (
    <div className={styles.others}>
      {data ? (
        <div role="status">
          {data.counts.length === 0 ? (
            <p className={styles.note}>
              {data.day === null
                ? 'There is no count yet: it is made once a day.'
                : `Fewer than three others who count had collected it on ${formatDate(data.day)}.`}
            </p>
          ) : (
            <ul className={styles.counts} aria-label="Other collectors">
              {data.counts.map(({ of, others, first_month }) => (
                <li key={of}>
                  {OF[of]}: {others} others, the first in {first_month}
                </li>
              ))}
            </ul>
          )}
        </div>
      ) : (
        <Button
          size="small"
          text="How many others collected it?"
          loading={isPending}
          onClick={() => mutate(about)}
        />
      )}
      {error && (
        <Callout compact intent="danger" role="alert">
          {isApiError(error) && error.status === 429
            ? 'You have asked as often as an hour allows. Try again later.'
            : errorDetail(error, 'The count could not be read. Try again.')}
        </Callout>
      )}
    </div>
  )
}
