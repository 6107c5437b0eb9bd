import { z } from 'zod'
import { type App, createApp, SEND } from './background/app'
import { openDatabase } from './background/database'
import { OVERLAY } from './background/marking'
import { failureOf } from './shared/failures'

// zod would otherwise generate code, which the content security policy forbids.
z.config({ jitless: true })

let opened: Promise<App> | undefined
/**
 * Opens the database once and returns the app. A failed opening, for example on a full disk, is retried by the next
 * call.
 */
const app = (): Promise<App> => {
  opened ??= openDatabase().then(createApp)
  opened.catch(() => {
    opened = undefined
  })
  return opened
}

// The browser may start this script for any of these events. Listeners must be registered synchronously.
chrome.runtime.onMessage.addListener((message, from, reply) => {
  app()
    .then(({ handle }) => handle(message, from))
    .then(reply, error => reply({ ok: false, error: failureOf(error).message }))
  return true
})
/** Runs work of the app without waiting for its result. */
const run = (work: (app: App) => unknown): void =>
  void app()
    .then(work)
    .catch(() => {})
chrome.alarms.onAlarm.addListener(({ name }) => {
  if (name === SEND) run(({ send }) => send())
  if (name === OVERLAY) run(({ refreshOverlay }) => refreshOverlay())
})
chrome.runtime.onStartup.addListener(() => {
  run(({ send }) => send())
  run(({ browserStarted }) => browserStarted())
})
chrome.runtime.onInstalled.addListener(() => run(({ send }) => send()))
self.addEventListener('online', () => run(({ send }) => send({ force: true })))
chrome.tabs.onUpdated.addListener((tabId, { status }) => {
  if (status === 'complete') run(({ pageLoaded }) => pageLoaded(tabId))
})
chrome.tabs.onRemoved.addListener(tabId => run(({ tabClosed }) => tabClosed(tabId)))
chrome.permissions.onAdded.addListener(() => run(({ permissionsAdded }) => permissionsAdded()))
chrome.permissions.onRemoved.addListener(() => run(({ permissionsRemoved }) => permissionsRemoved()))
run(({ started }) => started())
