const instant = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'long' })

/** Formats a time to the second with its zone, 'Nov 20, 2026, 10:00:02 AM UTC': seals state exact times. */
export const formatInstant = (value: string): string => instant.format(new Date(value))
