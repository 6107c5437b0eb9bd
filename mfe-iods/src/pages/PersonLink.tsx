import { paths, SectionLink } from '@iodine/mfe-kit'
import styles from './IodLink.module.css'

export interface PersonLinkProps {
  /** Null once the account is deleted. */
  id: string | null
  name: string | null
  tabIndex?: number
}

/** A person's name, which leads to their community profile; plain for who has no profile. */
export const PersonLink = ({ id, name, ...anchor }: PersonLinkProps) =>
  id !== null && name !== null ? (
    <SectionLink className={styles.link} to={paths.person(id)} {...anchor}>
      {name}
    </SectionLink>
  ) : (
    (name ?? 'Unknown')
  )
