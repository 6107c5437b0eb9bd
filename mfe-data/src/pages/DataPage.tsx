import { Page, PageHeader } from '@iodine/ui'

export function DataPage() {
  return (
    <Page>
      <PageHeader title="My Data" />
    </Page>
  )
}
