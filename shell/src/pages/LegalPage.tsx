import { Button, Card, Page, PageHeader } from '@iodine/ui'
import { ArrowLeftIcon } from '@iodine/ui/icons'
import type { ReactNode } from 'react'
import { useHost } from '../app/HostProvider'
import styles from './LegalPage.module.css'

export interface LegalPageProps {
  title: string
  /** Numbered in their order. */
  sections: readonly { title: string; body: ReactNode }[]
  /** Text of the contact box, before the address. */
  contact: string
}

/** A dated legal text of numbered sections, with a contact box at its end. */
export function LegalPage({ title, sections, contact }: LegalPageProps) {
  const { config, navigate } = useHost()
  return (
    <main>
      <Page narrow>
        <Button
          className={styles.back}
          variant="minimal"
          icon={<ArrowLeftIcon />}
          text="Back"
          // A page opened in a tab of its own has no page to go back to.
          onClick={() => (window.history.length > 1 ? navigate(-1) : navigate('/'))}
        />
        <Card className={styles.text}>
          <PageHeader title={title} subtitle="Last updated: June 17, 2025" />
          {sections.map((section, index) => (
            <section key={section.title} className={styles.section}>
              <h2 className={styles.heading}>
                {index + 1}. {section.title}
              </h2>
              {section.body}
            </section>
          ))}
          <aside className={styles.contact} aria-label="Contact">
            <h2 className={styles.heading}>Contact</h2>
            <p>
              {contact} <a href={`mailto:${config.contact_email}`}>{config.contact_email}</a>
            </p>
          </aside>
        </Card>
      </Page>
    </main>
  )
}
