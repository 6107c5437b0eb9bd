import { defineConfig } from 'vitest/config'
import { browserTests } from '../vitest.shared.js'

export default defineConfig(browserTests('extension'))
