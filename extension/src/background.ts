import { z } from 'zod'
import { createApp, OVERLAY, SEND } from './background/app'
import { openDatabase } from './background/database'

// zod would otherwise generate code, which the content security policy forbids.
z.config({ jitless: true })

const app = openDatabase().then(createApp)

// The browser may start this script for any of these events. Listeners must be registered in its first turn.
chrome.runtime.onMessage.addListener((message, from, reply) => {
  app.then(({ handle }) => handle(message, from)).then(reply)
  return true
})
chrome.alarms.onAlarm.addListener(({ name }) => {
  if (name === SEND) app.then(({ send }) => send())
  if (name === OVERLAY) app.then(({ refreshOverlay }) => refreshOverlay())
})
chrome.runtime.onStartup.addListener(() => app.then(({ send }) => send()))
chrome.runtime.onInstalled.addListener(() => app.then(({ send }) => send()))
self.addEventListener('online', () => app.then(({ send }) => send({ force: true })))
chrome.tabs.onUpdated.addListener((tabId, { status }) => {
  if (status === 'complete') app.then(({ pageLoaded }) => pageLoaded(tabId))
})
chrome.tabs.onRemoved.addListener(tabId => app.then(({ tabClosed }) => tabClosed(tabId)))
chrome.permissions.onRemoved.addListener(() => app.then(({ permissionsRemoved }) => permissionsRemoved()))
