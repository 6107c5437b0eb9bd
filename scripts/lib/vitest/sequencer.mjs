import { BaseSequencer } from 'vitest/node'

/**
 * Runs the files of a project one after another. Vitest ends a worker process whose next file belongs to another project,
 * so that the following one imports all modules again.
 */
export class ProjectSequencer extends BaseSequencer {
  async sort(files) {
    const order = [...new Set(files.map(({ project }) => project.name))].sort()
    const sorted = await super.sort(files)
    return order.flatMap(name => sorted.filter(({ project }) => project.name === name))
  }
}
