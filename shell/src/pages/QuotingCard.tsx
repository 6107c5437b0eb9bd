import { SwitchCard } from './SwitchCard'

/** The switch that lets public reports quote the descriptions of the user's IODs. */
export const QuotingCard = () => (
  <SwitchCard
    name="quoting"
    title="Public reports"
    about={
      <>
        A member can publish a report of a campaign after an administrator’s review. It shows the values of
        the campaign’s IODs and quotes of captures, without your name. It shows the descriptions that you
        wrote only if you agree here. Versions that are already published stay as they are. If a report
        contains your IODs or evidence, you are notified, and have 72 hours to take them out.
      </>
    }
    label="My IODs may be quoted in public reports"
    read={(api, signal) => api.call('GET /profile/quoting', { signal })}
    write={(api, allowed) => api.call('PUT /profile/quoting', { body: { allowed } })}
    isOn={({ allowed }) => allowed}
  />
)
