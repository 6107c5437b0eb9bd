import { BackButton, Page } from '@iodine/ui'
import type { ReactNode } from 'react'
import { useShell } from '../app/HostProvider'

/** A page outside the dashboard, with a button that leads back. */
export function PublicPage({ children }: { children: ReactNode }) {
  const { navigate } = useShell()
  // A page opened in a new tab has no previous history entry.
  const back = () => (window.history.length > 1 ? navigate(-1) : navigate('/'))
  return (
    <main>
      <Page narrow>
        <BackButton text="Back" onClick={back} />
        {children}
      </Page>
    </main>
  )
}
