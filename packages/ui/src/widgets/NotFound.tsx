import type { ReactNode } from 'react'
import { Page } from './Page'
import { PageHeader } from './PageHeader'

/** The page of an unknown URL; `children` is a link to an existing page. */
export const NotFound = ({ children }: { children: ReactNode }) => (
  <Page>
    <PageHeader title="Page Not Found" subtitle="No page exists at this URL." />
    {children}
  </Page>
)
