import Bowser from 'bowser'

/** Characters of a user agent that are parsed: it begins with the names. */
const AGENT_MAX = 512
const NAME_MAX = 40

const named = (name: string | undefined) => name?.slice(0, NAME_MAX) || undefined

/** Returns the names of browser and operating system in a user agent header. The header is not stored. */
export const deviceOf = (userAgent: string | undefined): { browser?: string; system?: string } => {
  if (!userAgent) return {}
  const { browser, os } = Bowser.parse(userAgent.slice(0, AGENT_MAX))
  const [browserName, systemName] = [named(browser.name), named(os.name)]
  return { ...(browserName && { browser: browserName }), ...(systemName && { system: systemName }) }
}
