export { type AccountIo, accountUsage, runAccount } from './account.js'
export { createApp } from './app.js'
export { type AuthConfig, authConfigSchema } from './config.js'
export { makeSignInToken } from './sign-in-token.js'
