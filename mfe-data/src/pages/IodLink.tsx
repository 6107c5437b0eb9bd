import type { Iod } from '@iodine/contracts'
import { isSelecting, paths, SectionLink } from '@iodine/mfe-kit'
import type { ReactNode } from 'react'
import styles from './FieldText.module.css'

/** An occurrence of an IOD in a text, as a link to the IOD. Its text can be selected. */
export const IodLink = ({ iod, children }: { iod: Iod; children: ReactNode }) => (
  <SectionLink
    className={styles.iod}
    to={paths.iod(iod.id)}
    draggable={false}
    onClick={event => isSelecting(event) && event.preventDefault()}
  >
    <span className={styles.edge} aria-hidden />
    {children}
  </SectionLink>
)
