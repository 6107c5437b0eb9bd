import type { ReactNode } from 'react'
import { Page } from './Page'
import { PageHeader } from './PageHeader'

/** The page of an address at which there is none; `children` is a link to one. */
export const NotFound = ({ children }: { children: ReactNode }) => (
  <Page>
    <PageHeader title="Page Not Found" subtitle="There is nothing at this address." />
    {children}
  </Page>
)
