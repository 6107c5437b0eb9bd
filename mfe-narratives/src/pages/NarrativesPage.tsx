import { Page, PageHeader } from '@iodine/ui'

export function NarrativesPage() {
  return (
    <Page>
      <PageHeader title="Narratives" />
    </Page>
  )
}
