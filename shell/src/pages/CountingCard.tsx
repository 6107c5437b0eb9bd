import { SwitchCard } from './SwitchCard'

/** The switch that includes the user's records in the anonymous counts of Origins, and lets the user query them. */
export const CountingCard = () => (
  <SwitchCard
    name="counting"
    title="Anonymous counts"
    about={
      <>
        Origins shows how many other users collected the same post, text or link. You see these counts only if
        you take part. A count is a range from 3 users on (3–5, 6–10, 11–20, 21+) with the month of the first
        record. It never contains names, sources or texts. Counts are updated once a day.
      </>
    }
    label="Take part: count my records, and show me counts"
    read={(api, signal) => api.call('GET /sightings/counting', { signal })}
    write={(api, counted) => api.call('PUT /sightings/counting', { body: { counted } })}
    isOn={({ counted }) => counted}
  />
)
