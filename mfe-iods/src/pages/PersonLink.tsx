import { paths, SectionLink } from '@iodine/mfe-kit'
import styles from './IodLink.module.css'

export interface PersonLinkProps {
  /** Null once the account is deleted. */
  id: string | null
  name: string | null
  tabIndex?: number
}

/** A user's name as a link to the community profile; plain text if there is no profile. */
export const PersonLink = ({ id, name, ...anchor }: PersonLinkProps) =>
  id !== null && name !== null ? (
    <SectionLink className={styles.link} to={paths.person(id)} {...anchor}>
      {name}
    </SectionLink>
  ) : (
    (name ?? 'Unknown')
  )
