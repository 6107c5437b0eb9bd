const instant = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'long' })

/** A time to the second with its zone, 'Nov 20, 2026, 10:00:02 AM UTC': what a seal says has to be exact. */
export const formatInstant = (value: string): string => instant.format(new Date(value))
