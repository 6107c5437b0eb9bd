import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { bin, must, Refusal, run, say } from './run.mjs'

/** Returns the path of the first name that is an executable on PATH. */
function onPath(...names) {
  for (const name of names)
    for (const folder of (process.env.PATH ?? '').split(delimiter)) {
      const file = join(folder, name)
      try {
        accessSync(file, constants.X_OK)
        return file
      } catch {}
    }
  return undefined
}

function systemIds() {
  if (process.platform !== 'linux') return [process.platform]
  if (!existsSync('/etc/os-release')) return ['linux']
  const release = readFileSync('/etc/os-release', 'utf8')
  return [...release.matchAll(/^ID(?:_LIKE)?="?([^"\n]*)"?$/gm)].flatMap(match => match[1].split(' '))
}

/** Commands that install Redis, by the system's id. */
const REDIS_COMMANDS = {
  debian: 'sudo apt-get install redis-server',
  fedora: 'sudo dnf install valkey',
  rhel: 'sudo dnf install valkey',
  arch: 'sudo pacman -S valkey',
  alpine: 'apk add redis',
  suse: 'sudo zypper install redis',
  darwin: 'brew install redis',
}

const mayUseApt = () => process.getuid?.() === 0 && systemIds().includes('debian') && onPath('apt-get')

async function aptInstall(name) {
  say(`No ${name} found: installing it with apt-get, since this is Debian or Ubuntu and you are root …`)
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  // A failed update is ignored: the cached lists may suffice if the network is slow or partly down.
  await run('apt-get', ['update', '-q'], { env })
  return run('apt-get', ['install', '-y', '-q', '--no-install-recommends', name], { env })
}

/**
 * Ensures that a Redis is available: REDIS_URL, a server on PATH, or one installed by apt.
 * @throws Refusal if there is none
 */
export async function ensureRedis() {
  if (process.env.REDIS_URL || onPath('redis-server', 'valkey-server')) return
  if (mayUseApt() && (await aptInstall('redis-server')) === 0 && onPath('redis-server')) return
  const command = REDIS_COMMANDS[systemIds().find(id => id in REDIS_COMMANDS)]
  const how = command ? `Install one:  ${command}` : 'Install Redis or Valkey (on Windows: inside WSL)'
  throw new Refusal(
    `Iodine needs Redis, and neither redis-server nor valkey-server is on PATH.\n${how}\nor set REDIS_URL to a running one.`,
  )
}

const MAC_CHROME = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'

/** Returns the path of a Chromium for the journeys; undefined for the one that Playwright has downloaded. */
export async function ensureBrowser() {
  const given = process.env.CHROMIUM_PATH
  if (given) {
    if (existsSync(given)) return given
    throw new Refusal(`CHROMIUM_PATH is ${given}, which does not exist.`)
  }
  const found = onPath('chromium', 'google-chrome', 'google-chrome-stable')
  if (found) return found
  if (existsSync(MAC_CHROME)) return MAC_CHROME
  // Ubuntu's package is a snap stub, which does not run in a container: Ubuntu uses Playwright's Chromium.
  const installed =
    mayUseApt() &&
    !systemIds().includes('ubuntu') &&
    (await aptInstall('chromium')) === 0 &&
    onPath('chromium')
  if (installed) return installed
  say('No Chromium on PATH: Playwright downloads its own …')
  const args = ['install', 'chromium', ...(mayUseApt() ? ['--with-deps'] : [])]
  await must("Downloading Playwright's Chromium", bin('playwright', 'e2e'), args)
}

const MAC_FIREFOX = '/Applications/Firefox.app/Contents/MacOS/firefox'

/** Returns the path of a Firefox for the journeys; undefined if there is none, which skips its journeys. */
export async function ensureFirefox() {
  const given = process.env.FIREFOX_PATH
  if (given) {
    if (existsSync(given)) return given
    throw new Refusal(`FIREFOX_PATH is ${given}, which does not exist.`)
  }
  const found = onPath('firefox-esr', 'firefox')
  if (found) return found
  if (existsSync(MAC_FIREFOX)) return MAC_FIREFOX
  // Ubuntu's package is a snap stub, like that of Chromium.
  if (mayUseApt() && !systemIds().includes('ubuntu') && (await aptInstall('firefox-esr')) === 0)
    return onPath('firefox-esr')
  say('No Firefox found: its journeys are skipped.')
}
