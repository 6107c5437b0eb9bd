import { Card, PageHeader } from '@iodine/ui'
import type { ReactNode } from 'react'
import { useShell } from '../app/HostProvider'
import styles from './LegalPage.module.css'
import { PublicPage } from './PublicPage'

export interface LegalPageProps {
  title: string
  /** Bodies of the sections by title. Sections are numbered in their order. */
  sections: Record<string, ReactNode>
  /** Text of the contact box, before the address. */
  contact: string
}

/** A dated legal text of numbered sections, with a contact box at its end. */
export function LegalPage({ title, sections, contact }: LegalPageProps) {
  const { config } = useShell()
  return (
    <PublicPage>
      <Card className={styles.text}>
        <PageHeader title={title} subtitle="Last updated: June 17, 2025" />
        {Object.entries(sections).map(([heading, body], index) => (
          <section key={heading} className={styles.section}>
            <h2 className={styles.heading}>
              {index + 1}. {heading}
            </h2>
            {body}
          </section>
        ))}
        <aside className={styles.contact} aria-label="Contact">
          <h2 className={styles.heading}>Contact</h2>
          <p>
            {contact} <a href={`mailto:${config.contact_email}`}>{config.contact_email}</a>
          </p>
        </aside>
      </Card>
    </PublicPage>
  )
}
