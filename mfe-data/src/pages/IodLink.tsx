import type { Iod } from '@iodine/contracts'
import { isSelecting, paths, SectionLink } from '@iodine/mfe-kit'
import type { ReactNode } from 'react'
import styles from './FieldText.module.css'

/** An IOD's place in a text, which leads to it. Its text can be selected as any other. */
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
