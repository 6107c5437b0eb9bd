import { Page, PageHeader } from '@iodine/ui'
import { Link } from '@iodine/ui/router'

export function NotFound() {
  return (
    <Page>
      <PageHeader title="Page Not Found" subtitle="There is nothing at this address." />
      <Link to="/dashboard">Go to the dashboard</Link>
    </Page>
  )
}
