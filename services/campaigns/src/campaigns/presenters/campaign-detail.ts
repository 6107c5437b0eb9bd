import type { Campaign, Iod } from '@iodine/contracts'

/** Streams the JSON of a campaign with its IODs, one piece per batch, so that the whole is never in memory. */
export async function* campaignDetailJson(
  campaign: Campaign,
  first: Iod[],
  rest: AsyncIterable<Iod[]>,
): AsyncGenerator<string> {
  const listed = (iods: Iod[]) => JSON.stringify(iods).slice(1, -1)
  let separator = first.length > 0 ? ',' : ''
  yield `${JSON.stringify(campaign).slice(0, -1)},"iods":[${listed(first)}`
  for await (const iods of rest) {
    if (iods.length === 0) continue
    yield separator + listed(iods)
    separator = ','
  }
  yield ']}'
}
