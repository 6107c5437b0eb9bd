import { Page, PageHeader } from '@iodine/ui'

export function IodsPage() {
  return (
    <Page>
      <PageHeader title="Indicators of Disinformation" />
    </Page>
  )
}
