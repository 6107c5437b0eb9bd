import { defineConfig } from 'vitest/config'
import { nodeTests } from '../../vitest.shared.js'

export default defineConfig(nodeTests('generators'))
