import { Page, PageHeader } from '@iodine/ui'

export function CampaignsPage() {
  return (
    <Page>
      <PageHeader title="Campaigns" />
    </Page>
  )
}
