import type { RecordOf, Source } from '@iodine/contracts'
import records from '../data/records.json' with { type: 'json' }

/**
 * Records as the collector sends them, by source: realistic but entirely fictional. In three stories, mirrors allegedly
 * boil Lake Varnel, a power cut in Port Sellane is allegedly a test, and water allegedly turns runners of the Quell
 * marathon blue. The last Telegram posts, on a siren, have a first appearance, copies, rewordings, an edited post whose
 * time of the claim is unknown, and two channels that repeatedly post the same links seconds apart. The posts of other
 * platforms come from imports. Host names end in .example, a reserved domain.
 */
export const demoRecords = records as unknown as { [S in Source]: RecordOf[S][] }
