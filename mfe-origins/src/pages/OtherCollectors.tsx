import { isApiError } from '@iodine/contracts'
import { errorDetail, paths, SectionLink } from '@iodine/mfe-kit'
import { Button, Callout, formatDate } from '@iodine/ui'
import { useCounting, useOtherCounts } from '../queries/counts'
import styles from './OtherCollectors.module.css'

const OF = { post: 'The same post', text: 'The same text', link: 'The same link' } as const

/** The number of other users who collected the same record or IOD, requested on demand. */
export function OtherCollectors({ about }: { about: { record_id: string } | { iod_id: string } }) {
  const counting = useCounting()
  const { data, error, isPending, mutate } = useOtherCounts()
  if (!counting.data) return null
  if (!counting.data.counted)
    return (
      <p className={styles.note}>
        To see how many others collected the same, take part in anonymous counts:{' '}
        <SectionLink to={paths.profile({ tab: 'data' })}>My Profile</SectionLink>
      </p>
    )
  return (
    <div className={styles.others}>
      {data ? (
        <div role="status">
          {data.counts.length === 0 ? (
            <p className={styles.note}>
              {data.day === null
                ? 'No count yet. Counts are updated once a day.'
                : `Fewer than three others in anonymous counts had collected it by ${formatDate(data.day)}.`}
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
          text="Count other collectors"
          title="Shows how many others collected the same post, text or link"
          loading={isPending}
          onClick={() => mutate(about)}
        />
      )}
      {error && (
        <Callout compact intent="danger" role="alert">
          {isApiError(error) && error.status === 429
            ? 'You reached the hourly limit for counts. Try again later.'
            : errorDetail(error, 'The count could not be loaded. Try again.')}
        </Callout>
      )}
    </div>
  )
}
