/** Entries of archives by format, in the order in which they decide. */
export const ENTRIES: readonly { format: string; entry: RegExp }[] = [
  { format: 'telegram-desktop', entry: /(?:^|\/)result\.json$/ },
  { format: 'telegram-desktop-html', entry: /(?:^|\/)messages\d*\.html$/ },
  { format: 'tiktok-user-data', entry: /(?:^|\/)user_data(?:_tiktok)?\.json$/ },
  { format: 'x-archive', entry: /(?:^|\/)tweets?(?:-part\d+)?\.js$/ },
  { format: 'activitypub', entry: /(?:^|\/)outbox\.json$/ },
]

/** Files that 4CAT and Mastodon write about their data. */
const BESIDE = /(?:^|\/)(?:[^/]*[_.-]metadata|actor|likes|bookmarks|manifest|datapackage)\.json$/i

/** Returns whether an entry has data. */
export const isDataFile = (name: string): boolean =>
  /\.(?:ndjson|jsonl|json|csv|tsv|tab)$/i.test(name) && !BESIDE.test(name)

/** Returns whether an entry of an archive has the data of a format. */
export const isEntryOf = (format: string): ((name: string) => boolean) => {
  const known = ENTRIES.find(each => each.format === format)
  return known ? name => known.entry.test(name) : isDataFile
}
