import { z } from 'zod'
import { createApp, SEND } from './background/app'
import { openDatabase } from './background/database'

// Generated code would need a content security policy that allows eval.
z.config({ jitless: true })

const app = openDatabase().then(createApp)

// The browser starts this script anew for each of these, and forgets those that are not listened to at once.
chrome.runtime.onMessage.addListener((message, from, reply) => {
  app.then(({ handle }) => handle(message, from)).then(reply)
  return true
})
chrome.alarms.onAlarm.addListener(({ name }) => {
  if (name === SEND) app.then(({ send }) => send())
})
chrome.runtime.onStartup.addListener(() => app.then(({ send }) => send()))
chrome.runtime.onInstalled.addListener(() => app.then(({ send }) => send()))
self.addEventListener('online', () => app.then(({ send }) => send({ force: true })))
chrome.tabs.onUpdated.addListener((tabId, { status }) => {
  if (status === 'complete') app.then(({ pageLoaded }) => pageLoaded(tabId))
})
chrome.tabs.onRemoved.addListener(tabId => app.then(({ tabClosed }) => tabClosed(tabId)))
chrome.permissions.onRemoved.addListener(() => app.then(({ permissionsRemoved }) => permissionsRemoved()))
