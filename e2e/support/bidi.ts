import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { WebSocket } from 'ws'

/** Preferences of a Firefox that sends no background traffic and shows no first-run pages. */
const PREFERENCES = {
  'app.normandy.enabled': false,
  'app.update.disabledForTesting': true,
  'browser.aboutwelcome.enabled': false,
  'browser.safebrowsing.downloads.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage': 'about:blank',
  'browser.startup.page': 0,
  'datareporting.policy.dataSubmissionEnabled': false,
  'extensions.update.enabled': false,
  'intl.accept_languages': 'en-GB, en',
  'intl.locale.requested': 'en-GB',
  'layout.testing.top-level-always-active': true,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'remote.active-protocols': 1,
  'toolkit.telemetry.reportingpolicy.firstRun': false,
}

/** A failed command of WebDriver BiDi, or an exception of an evaluated script. */
export class BidiError extends Error {}

interface Reply {
  id: number | null
  type: 'success' | 'error' | 'event'
  result: Record<string, unknown>
  error?: string
  message?: string
}

/** A Firefox that WebDriver BiDi controls (https://w3c.github.io/webdriver-bidi/). */
export interface Firefox {
  /** Sends a command. @throws BidiError if the browser refuses it */
  send<T = Record<string, unknown>>(method: string, params: object): Promise<T>
  /** Runs a function of the browser's own code, with its privileges. Arguments and result are JSON. */
  asBrowser<A extends unknown[], R>(work: (...given: A) => R, ...given: A): Promise<Awaited<R>>
  /** Runs a function in a page. Arguments and result are JSON. */
  evaluate<A extends unknown[], R>(
    context: string,
    work: (...given: A) => R,
    ...given: A
  ): Promise<Awaited<R>>
  close(): Promise<void>
}

/** Resolves to the URL at which a starting Firefox accepts connections. */
const listening = (firefox: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let said = ''
    firefox.stderr?.on('data', part => {
      said += part
      const [, url] = /WebDriver BiDi listening on (ws:\S+)/.exec(said) ?? []
      if (url) resolve(url)
    })
    firefox.on('error', reject)
    firefox.on('exit', code => reject(new Error(`Firefox ended with ${code}: ${said}`)))
  })

/**
 * Starts Firefox with a profile and a session.
 * @param profile an empty folder, or that of a previous run
 * @param proxy host and port of the HTTP proxy for all hosts but loopback
 */
export const startFirefox = async (
  executable: string,
  profile: string,
  proxy: string,
  preferences: Record<string, string | number | boolean> = {},
): Promise<Firefox> => {
  const lines = Object.entries({ ...PREFERENCES, ...preferences }).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  )
  await writeFile(join(profile, 'user.js'), lines.join('\n'))
  const firefox = spawn(
    executable,
    [
      '--headless',
      '--no-remote',
      '--profile',
      profile,
      '--remote-debugging-port=0',
      '--remote-allow-system-access',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const ended = once(firefox, 'exit')
  // A failed journey does not close it.
  const kill = () => firefox.kill()
  process.once('exit', kill)
  firefox.once('exit', () => process.off('exit', kill))
  const socket = new WebSocket(`${await listening(firefox)}/session`, { perMessageDeflate: false })
  await once(socket, 'open')
  let last = 0
  const waiting = new Map<number, (reply: Reply) => void>()
  socket.on('message', data => {
    const reply = JSON.parse(String(data)) as Reply
    if (reply.id === null || reply.id === undefined) return
    waiting.get(reply.id)?.(reply)
    waiting.delete(reply.id)
  })
  socket.on('close', () => {
    for (const [id, answer] of waiting)
      answer({ id, type: 'error', result: {}, error: 'closed', message: 'Firefox ended' })
  })

  const send = async <T>(method: string, params: object): Promise<T> => {
    last += 1
    const id = last
    const reply = await new Promise<Reply>(resolve => {
      waiting.set(id, resolve)
      socket.send(JSON.stringify({ id, method, params }))
    })
    if (reply.type === 'error') throw new BidiError(`${method}: ${reply.error}: ${reply.message}`)
    return reply.result as T
  }

  const call = async <A extends unknown[], R>(
    context: string,
    work: (...given: A) => R,
    given: A,
  ): Promise<Awaited<R>> => {
    const answer = await send<{
      type: string
      result: { value: string }
      exceptionDetails: { text: string }
    }>('script.callFunction', {
      functionDeclaration: `async given => JSON.stringify([await (${work})(...JSON.parse(given))])`,
      arguments: [{ type: 'string', value: JSON.stringify(given) }],
      target: { context },
      awaitPromise: true,
      // A permission request needs a user's action.
      userActivation: true,
    })
    if (answer.type === 'exception') throw new BidiError(answer.exceptionDetails.text)
    return JSON.parse(answer.result.value)[0]
  }

  const [host, port] = proxy.split(':')
  await send('session.new', {
    capabilities: {
      alwaysMatch: {
        acceptInsecureCerts: true,
        webSocketUrl: true,
        proxy: { proxyType: 'manual', httpProxy: `${host}:${port}`, sslProxy: `${host}:${port}` },
      },
    },
  })
  const chrome = await send<{ contexts: { context: string }[] }>('browsingContext.getTree', {
    'moz:scope': 'chrome',
    maxDepth: 0,
  })
  const [{ context: chromeWindow } = { context: '' }] = chrome.contexts

  return {
    send,
    asBrowser: (work, ...given) => call(chromeWindow, work, given),
    evaluate: (context, work, ...given) => call(context, work, given),
    async close() {
      await send('browser.close', {}).catch(() => firefox.kill())
      socket.close()
      await ended
    },
  }
}
