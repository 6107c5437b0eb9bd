export { inboxConfigSchema } from './config.js'
export { type Inbox, type InboxOptions, startInbox } from './inbox.js'
