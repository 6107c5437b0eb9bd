import type { CommunityUser } from '@iodine/contracts'
import { FROM_LIST, paths, SectionLink } from '@iodine/mfe-kit'
import { Card, Classes, DateTime, Facts, formatCount, formatFrenchDate } from '@iodine/ui'
import { summarize } from '../model/contributions'
import { ContributionTitle } from './ContributionTitle'
import { TypeTag } from './TypeTag'
import styles from './UserCard.module.css'

export function UserCard({ user }: { user: CommunityUser }) {
  const { iods, narratives, others } = summarize(user)
  return (
    <Card className={styles.card} role="article" aria-label={`@${user.username}`}>
      <header className={styles.header}>
        <h2 className={styles.name}>@{user.username}</h2>
        <p className={styles.since}>
          Since <DateTime value={user.created_at} format={formatFrenchDate} lang="fr" />
        </p>
      </header>
      <Facts
        className={styles.counts}
        facts={{
          contributions: formatCount(user.total_contributions),
          'recent IODs': formatCount(iods),
          'recent narratives': formatCount(narratives),
        }}
      />
      <ul className={styles.recent} aria-label="Recent contributions">
        {user.recent_contributions.map(({ type, id, title }) => (
          <li key={`${type} ${id}`} className={styles.contribution}>
            <TypeTag type={type} />
            <ContributionTitle className={styles.title} type={type} id={id} title={title} />
          </li>
        ))}
        {others > 0 && <li className={styles.others}>+{formatCount(others)} other(s)...</li>}
      </ul>
      <SectionLink
        className={`${Classes.BUTTON} ${styles.open}`}
        role="button"
        to={paths.person(user.id)}
        state={FROM_LIST}
        aria-label={`View full profile of @${user.username}`}
      >
        View full profile
      </SectionLink>
    </Card>
  )
}
