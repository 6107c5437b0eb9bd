import { config } from 'zod'

// The content security policy forbids evaluation. This module must run before those with schemas.
config({ jitless: true })
