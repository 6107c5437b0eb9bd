import { createHash } from 'node:crypto'
import type { BlogRecord, RecordOf, Source, TelegramRecord, TiktokRecord } from '@iodine/contracts'

// Three fictional stories with fictional people: mirrors allegedly boil Lake Varnel, a power cut in Port Sellane is
// allegedly a test, and water allegedly turns runners of the Quell marathon blue. Host names end in .example, a
// reserved domain.

const sha256 = (name: string) => createHash('sha256').update(name).digest('hex')
const unixSeconds = (time: string) => Date.parse(time) / 1_000
const fetched = (fetch_timestamp: string, source: string) => ({ fetch_timestamp, source })

/** Returns an author. `counts`: accounts followed, followers, hearts and videos. */
const person = (
  id: number,
  unique_id: string,
  nickname: string,
  description: string,
  counts: [number, number, number, number],
) => ({
  author_id: `701200000000000000${id}`,
  author_unique_id: unique_id,
  author_nickname: nickname,
  author_description: description,
  author_following_count: counts[0],
  author_follower_count: counts[1],
  author_heart_count: counts[2],
  author_video_count: counts[3],
})
/** Returns a function that creates objects from values in the order of the keys. */
const row =
  <K extends string>(...keys: K[]) =>
  <V>(...values: V[]) =>
    Object.fromEntries(keys.map((key, index) => [key, values[index]])) as Record<K, V>
const stats = row('play_count', 'digg_count', 'comment_count', 'share_count', 'collect_count', 'repost_count')
const sound = row('sound_id', 'sound_name', 'sound_author')
const classification = (
  location_created: string | null,
  diversification_labels: string[] | null,
  suggested_words: string[] | null,
) => ({ location_created, diversification_labels, suggested_words })

const lena = person(
  1,
  'lakeside.lena',
  'Lakeside Lena 🌊',
  'I live by Lake Varnel. I film what they hide.\nWrite to lena@varnelwatch.example',
  [112, 48_210, 913_004, 231],
)
const osk = person(
  2,
  'captain_osk',
  'Captain Osk',
  '⚓ 30 years at sea. No filter. No fear.',
  [9, 1_204_377, 22_481_906, 1_480],
)
const lantern = person(3, 'truthlantern', 'The Truth Lantern', '', [0, 310, 1_022, 14])

const threadOfFiftyLines = Array.from({ length: 50 }, (_, index) => {
  const number = index + 1
  const claims = [
    'the mirrors were delivered at night, without number plates',
    'the thermometers on the pier were replaced the week before',
    'three fishermen were asked to sign a paper they could not read',
    'the water at buoy nine has been warm since the mirrors turned',
    'nobody from Helion Varnel has ever shown the list of mirror angles',
  ]
  return `${number}/50 Ask yourself why ${claims[index % claims.length]}.`
}).join('\n')

const longManifesto = Array.from(
  { length: 50 },
  (_, index) =>
    `${index + 1}. The grid did not fail in Port Sellane. It was switched off, street by street, ` +
    'so that somebody could watch how long we sit in the dark before we stop asking questions.',
).join(' ')

const tiktok: TiktokRecord[] = [
  {
    collector_metadata: fetched('2026-10-12T18:04:11.000Z', 'tiktok.com'),
    main: {
      video_id: '7423000000000000101',
      description:
        'Giant mirrors heat the lake and the fish are dying. Share before this disappears! #LakeVarnel #mirrors',
      hashtags: ['LakeVarnel', 'mirrors', 'wakeup'],
      create_time: unixSeconds('2026-10-12T06:31:00Z'),
    },
    author: lena,
    stats: stats(2_410_556, 188_210, 9_441, 61_200, 20_118, 4_402),
    sound: sound('6901000000000000001', 'original sound - lakeside.lena', 'Lakeside Lena 🌊'),
    classification: classification(
      'XX',
      ['Environment', 'Local news'],
      ['lake varnel fish', 'helion varnel mirrors', 'giant mirrors heat the lake'],
    ),
  },
  {
    collector_metadata: fetched('2026-10-13T07:20:45.000Z', 'tiktok.com'),
    main: {
      video_id: '7423000000000000102',
      description: threadOfFiftyLines,
      hashtags: ['LakeVarnel', 'thread'],
      create_time: unixSeconds('2026-10-12T21:10:00Z'),
    },
    author: lena,
    stats: stats(301_889, 20_440, 1_900, 7_020, 8_812, 310),
    sound: sound('6901000000000000002', 'slow piano', 'Ateliers Mondry'),
    classification: classification('XX', ['Environment'], []),
  },
  {
    collector_metadata: fetched('2026-10-13T07:21:02.000Z', 'tiktok.com'),
    main: {
      video_id: '7423000000000000103',
      description: '🐟🔥🪞 48 °C at buoy nine??? 👩‍🔬 says nothing 🤐 #🐟',
      hashtags: ['🐟', 'LakeVarnel'],
      create_time: unixSeconds('2026-10-13T05:02:00Z'),
    },
    author: osk,
    stats: stats(8_810_023, 702_114, 40_007, 210_334, 90_126, 12_018),
    sound: sound('6901000000000000003', 'Siren (sped up)', '∆ noise ∆'),
    classification: classification(
      'XX',
      ['Environment', 'Outdoors'],
      ['buoy nine', 'lake varnel temperature'],
    ),
  },
  {
    collector_metadata: fetched('2026-10-14T10:00:00.000Z', 'tiktok.com'),
    main: {
      video_id: '7423000000000000104',
      description: 'المرايا العملاقة تسخن البحيرة والأسماك تموت 😢 شاهد قبل الحذف #بحيرة_فارنيل',
      hashtags: ['بحيرة_فارنيل', 'مرايا'],
      create_time: unixSeconds('2026-10-14T08:15:00Z'),
    },
    author: person(4, 'sawt.albuhayra', 'صوت البحيرة', 'أخبار البحيرة كل يوم', [77, 15_880, 120_771, 96]),
    stats: stats(91_200, 6_120, 410, 2_210, 377, 51),
    sound: sound('6901000000000000004', 'الصوت الأصلي', 'صوت البحيرة'),
    classification: classification('XX', ['البيئة'], ['بحيرة فارنيل']),
  },
  {
    collector_metadata: fetched('2026-10-15T12:40:09.000Z', 'tiktok.com'),
    main: { video_id: '7423000000000000105' },
  },
  {
    collector_metadata: fetched('2026-10-15T12:41:30.000Z', 'tiktok.com'),
    main: { video_id: '7423000000000000106', description: '', hashtags: [], create_time: 0 },
    author: lantern,
    stats: stats(0, 0, 0, 0, 0, 0),
    sound: sound('', '', ''),
    classification: classification('', [], []),
  },
  {
    collector_metadata: fetched('2026-11-03T22:12:55.000Z', 'tiktok.com'),
    main: {
      video_id: '7431000000000000201',
      description:
        'Port Sellane went dark at 21:04. <b>Not an accident.</b> <img src=x onerror=alert(1)> Copy this text before they delete it: <script>alert("nightfall")</script>',
      hashtags: ['PortSellane', 'nightfall', '<i>dark</i>'],
      create_time: unixSeconds('2026-11-03T21:31:00Z'),
    },
    author: osk,
    stats: stats(5_002_871, 410_220, 33_190, 144_092, 51_800, 9_903),
    sound: sound('6901000000000000005', 'original sound - captain_osk', 'Captain Osk'),
    classification: classification(
      'XX',
      ['News & Politics'],
      ['port sellane blackout', 'project nightfall memo'],
    ),
  },
  {
    collector_metadata: fetched('2026-11-03T23:59:59.000Z', 'tiktok.com'),
    main: {
      video_id: '7431000000000000202',
      description: 'They call it Project Nightfall. The memo is real. nightfall-memo.example #nightfall',
      hashtags: ['nightfall'],
      create_time: unixSeconds('2026-11-03T23:01:00Z'),
    },
    author: lantern,
    stats: stats<number | null>(12_400, 801, 66, 402, 73, null),
    classification: classification(null, null, null),
  },
  {
    collector_metadata: fetched('2026-11-05T09:30:00.000Z', 'tiktok.com'),
    main: {
      video_id: '7431000000000000203',
      description: longManifesto,
      hashtags: Array.from({ length: 40 }, (_, index) => `nightfall_street_${index + 1}`),
      create_time: unixSeconds('2026-11-05T07:00:00Z'),
    },
    author: lantern,
  },
  {
    collector_metadata: fetched('2026-11-15T16:00:21.000Z', 'tiktok.com'),
    main: {
      video_id: '7437000000000000301',
      description:
        'My tongue is BLUE after the Quell marathon 💙 what was in that water?! @quellmarathon #bluewater #QuellMarathon',
      hashtags: ['bluewater', 'QuellMarathon'],
      create_time: unixSeconds('2026-11-15T13:12:00Z'),
    },
    author: person(
      5,
      'mira.tolland',
      'Mira Tolland',
      'runner 🏃‍♀️ | coffee | Quell',
      [640, 2_071, 30_155, 88],
    ),
    stats: stats(640_118, 51_200, 2_209, 8_400, 3_011, 605),
    sound: sound('6901000000000000006', 'Blue (club mix)', 'DJ Okapi Sun'),
    classification: classification('XX', ['Sports', 'Health'], ['quell marathon water', 'blue tongue']),
  },
  {
    collector_metadata: fetched('2026-11-16T08:45:00.000Z', 'tiktok.com'),
    main: {
      video_id: '7437000000000000302',
      description:
        "L'eau bleue de Quell : personne n'explique rien. « Colorant alimentaire », disent-ils… #eaubleue",
      hashtags: ['eaubleue', 'Quell'],
      create_time: unixSeconds('2026-11-16T07:20:00Z'),
    },
    author: person(
      6,
      'la_veille_de_quell',
      'La Veille de Quell',
      'Ce que les journaux taisent.',
      [31, 8_902, 77_004, 120],
    ),
    stats: stats(44_020, 3_310, 512, 1_440, 208, 33),
    classification: classification('FR', ['Santé'], ['eau bleue']),
  },
  {
    collector_metadata: fetched('2026-11-16T08:46:10.000Z', 'tiktok.com'),
    main: {
      video_id: '7437000000000000303',
      description:
        'Giant mirrors heat the lake, blue water heats the blood. Same people. Same plan. #mirrors #bluewater',
      hashtags: ['mirrors', 'bluewater', 'mirrors'],
      create_time: unixSeconds('2026-11-16T08:01:00Z'),
    },
    author: osk,
    stats: { play_count: 1_900_554, digg_count: 155_090 },
    sound: { sound_name: 'Siren (sped up)' },
  },
]

const channel = (username: string, title: string) => ({ username, title, platform: 'telegram' })
const varnelWatch = channel('varnelwatch', 'Varnel Watch 👁')
const nightfall = channel('nightfall_files', 'The Nightfall Files')
const quell = channel('quell_sans_filtre', 'Quell sans filtre')
const file = (type: 'image' | 'document', name: string) => ({
  type,
  url: `https://files.channels.example/${name}`,
  sha256: sha256(name),
})
const channelPost = (
  time: string,
  of: ReturnType<typeof channel>,
  id: number,
  author: string | null,
  description: string,
  attachments: TelegramRecord['telegram']['attachments'],
): TelegramRecord => ({
  collector_metadata: fetched(time, 'telegram'),
  telegram: {
    channel: of,
    post: { id: `${id}`, url: `https://channels.example/${of.username}/${id}`, author, description },
    attachments,
  },
})

/** Returns a channel's post with time, links and origin of the forward. */
const datedPost = (
  posted_at: string,
  of: ReturnType<typeof channel>,
  id: number,
  description: string,
  context: Pick<NonNullable<TelegramRecord['context']>, 'links' | 'forwarded_from' | 'edited'> = {},
): TelegramRecord => ({
  ...channelPost('2026-11-20T09:00:00.000Z', of, id, null, description, []),
  context: { posted_at, text: description, ...context },
})
const silentLake = channel('silent_lake', 'The Silent Lake')
const shoreTruth = channel('shore_truth', 'Shore Truth')
const wakeVarnel = channel('wake_varnel', 'Wake Up Varnel')
const lakesideDaily = channel('lakeside_daily', 'Lakeside Daily')
const SIREN = 'https://varnelwatch.example/siren'
const at = (day: number, time: string) => `2026-11-${String(day).padStart(2, '0')}T${time}.000Z`

/**
 * A story with a first appearance, copies and rewordings, and two channels that repeatedly post the same links seconds
 * apart.
 */
const sirenStory: TelegramRecord[] = [
  datedPost(
    at(2, '22:14:05'),
    silentLake,
    18,
    'A worker of the dam told us tonight: the siren of Varnel was switched off before the water rose, and the mayor knew.',
  ),
  datedPost(
    at(3, '06:40:00'),
    lakesideDaily,
    501,
    'A worker of the dam told us tonight: the siren of Varnel was switched off before the water rose, and the mayor knew.',
    { forwarded_from: { name: 'The Silent Lake', url: 'https://channels.example/silent_lake/18' } },
  ),
  datedPost(
    at(3, '09:02:10'),
    wakeVarnel,
    77,
    'A WORKER OF THE DAM told us tonight: the siren of Varnel was SWITCHED OFF before the water rose and the mayor knew!!',
  ),
  datedPost(
    at(4, '18:30:00'),
    lakesideDaily,
    512,
    'Dam workers say the mayor of Varnel knew that the sirens had been switched off while the water was rising.',
  ),
  // Its page states the earliest time, but it was edited: the time of the claim is unknown.
  datedPost(
    at(1, '12:00:00'),
    shoreTruth,
    290,
    'A worker of the dam told us: the siren of Varnel was switched off before the water rose, and the mayor knew!',
    { edited: true },
  ),
  ...[3, 5, 8, 9, 12].flatMap((day, n) => [
    datedPost(
      at(day, `20:0${n}:07`),
      shoreTruth,
      300 + n,
      `Part ${n + 1}. Who switched off the siren? ${SIREN}/${n + 1}?utm_source=shore`,
      { links: [`${SIREN}/${n + 1}?utm_source=shore`] },
    ),
    datedPost(
      at(day, `20:0${n}:21`),
      wakeVarnel,
      90 + n,
      `The siren, chapter ${n + 1}: read before it is gone ${SIREN}/${n + 1}`,
      { links: [`${SIREN}/${n + 1}`] },
    ),
  ]),
  datedPost(at(9, '21:15:00'), lakesideDaily, 530, `What is said of the siren, and by whom: ${SIREN}/4`, {
    links: [`${SIREN}/4`],
  }),
]

const telegram: TelegramRecord[] = [
  channelPost(
    '2026-10-11T19:00:00.000Z',
    varnelWatch,
    811,
    'Editor of Varnel Watch',
    'FIRST PICTURES: giant mirrors heat the lake.\n\nHelion Varnel denies everything. We count 4,100 mirrors, all of them turned to the water.\nMore: https://varnelwatch.example/mirrors',
    [file('image', 'varnel-mirrors-1.jpg'), file('image', 'varnel-mirrors-2.jpg')],
  ),
  channelPost(
    '2026-10-12T05:10:00.000Z',
    varnelWatch,
    812,
    'Editor of Varnel Watch',
    'Water table of buoy nine, leaked by a worker. Read it and forward it.',
    [
      file('document', 'buoy-nine.pdf'),
      file('document', 'buoy-nine-annex (final) (2).xlsx'),
      // A document in a channel's preview has neither a URL nor bytes to hash.
      { type: 'document', url: null, sha256: null },
    ],
  ),
  channelPost('2026-10-12T05:11:00.000Z', varnelWatch, 813, null, threadOfFiftyLines, []),
  channelPost(
    '2026-10-14T20:22:31.000Z',
    channel('hed_haagam', 'הד האגם'),
    4,
    'עורך הערוץ',
    'מראות ענק מחממות את האגם. Giant mirrors heat the lake. הדגים מתים.',
    [file('image', 'hed-haagam.png')],
  ),
  channelPost(
    '2026-11-03T21:20:00.000Z',
    nightfall,
    1,
    'dr. ivo b.',
    'The Grid Authority switched Port Sellane off on purpose. The memo is below.',
    [file('document', 'project-nightfall-memo.pdf')],
  ),
  channelPost(
    '2026-11-03T21:40:00.000Z',
    nightfall,
    2,
    'dr. ivo b.',
    '<a href="javascript:alert(document.domain)">Click to read the memo</a> &lt;memo&gt; "><svg onload=alert(2)>',
    [{ type: 'document', url: 'javascript:alert(3)', sha256: sha256('memo-trap') }],
  ),
  channelPost(
    '2026-11-04T06:00:00.000Z',
    nightfall,
    3,
    '',
    '',
    Array.from({ length: 24 }, (_, index) =>
      file('image', `dark-street-${`${index + 1}`.padStart(2, '0')}.jpg`),
    ),
  ),
  {
    collector_metadata: fetched('2026-11-05T18:30:00.000Z', 'telegram'),
    telegram: { post: { url: 'https://channels.example/nightfall_mirror/77' } },
  },
  channelPost('2026-11-06T11:11:11.000Z', nightfall, 9, 'dr. ivo b.', longManifesto, null),
  channelPost(
    '2026-11-15T17:05:00.000Z',
    quell,
    240,
    'Odile Ferrandier-Moss',
    "Marathon de Quell : des milliers de coureurs ont bu l'eau bleue 💙💧 Les organisateurs parlent d'un « colorant ». Demandez l'analyse !",
    [file('image', 'quell-gobelets.jpg')],
  ),
  channelPost(
    '2026-11-15T18:44:00.000Z',
    quell,
    241,
    'Odile Ferrandier-Moss',
    'Analyse du laboratoire Brennvik : E133, E133, E133. Et personne pour dire ce que cache E133 ?',
    [file('document', 'analyse-brennvik.pdf'), file('image', 'flacon-quell.jpg')],
  ),
  ...sirenStory,
]

const courier = {
  name: 'The Varnel Courier',
  url: 'https://courier.example',
  logo: { url: 'https://courier.example/logo.png' },
}
const images = (folder: string, count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const url = `${folder}/picture-${index + 1}.w1200.$crop.jpg`
      return [url, sha256(url)]
    }),
  )

const blog: BlogRecord[] = [
  {
    collector_metadata: fetched('2026-10-13T09:00:00.000Z', 'blog'),
    metadata: {
      title: 'What warms Lake Varnel? Not the mirrors',
      description:
        'We measured for three days. The mirrors of Helion Varnel point at a tower, not at the water.',
      canonical: 'https://courier.example/2026/10/what-warms-lake-varnel',
      generator: 'Quillpress 7.2',
      og_title: 'What warms Lake Varnel? Not the mirrors',
      og_description: 'Three days of measurements at buoy nine.',
      og_url: 'https://courier.example/2026/10/what-warms-lake-varnel',
      og_image: 'https://courier.example/pictures/buoy-nine.jpg',
      og_site_name: 'The Varnel Courier',
      twitter_title: 'What warms Lake Varnel?',
      twitter_description: 'Three days of measurements at buoy nine.',
      twitter_url: 'https://courier.example/2026/10/what-warms-lake-varnel',
      twitter_image: 'https://courier.example/pictures/buoy-nine.jpg',
      twitter_site: '@varnelcourier',
      article_published_time: '2026-10-13T06:00:00+02:00',
      article_modified_time: '2026-10-13T08:30:00+02:00',
      jsonld: {
        author: { name: 'Henrik Salvatierra-Noll', url: 'https://courier.example/authors/salvatierra-noll' },
        publisher: courier,
        keywords: ['Lake Varnel', 'mirrors', 'fact check'],
      },
    },
    imageHashes: images('https://courier.example/pictures', 3),
  },
  {
    collector_metadata: fetched('2026-10-13T09:05:00.000Z', 'blog'),
    metadata: {
      title: 'GIANT MIRRORS HEAT THE LAKE: the proof',
      description: 'Giant mirrors heat the lake. We have the pictures that the Courier will never print.',
      canonical: 'https://varnelwatch.example/mirrors',
      generator: 'Quillpress 5.0.1',
      og_title: 'Giant mirrors heat the lake',
      og_url: 'https://varnelwatch.example/mirrors?ref=og',
      og_image: 'https://varnelwatch.example/i/mirrors.webp',
      og_site_name: 'Varnel Watch',
      article_published_time: '2026-10-11T18:40:00Z',
      jsonld: {
        author: { name: 'Lakeside Lena', url: 'https://varnelwatch.example/lena' },
        publisher: { name: 'Varnel Watch', url: 'https://varnelwatch.example', logo: null },
        keywords: ['giant mirrors', 'Helion Varnel', 'cover-up'],
      },
    },
    imageHashes: images('https://varnelwatch.example/i', 36),
  },
  {
    collector_metadata: fetched('2026-10-14T13:00:00.000Z', 'blog'),
    metadata: {
      title: 'بحيرة فارنيل: من يسخن الماء؟',
      description: 'تحقيق قصير عن مرايا شركة «هيليون فارنيل» (Helion Varnel) وعن الأسماك.',
      canonical: 'https://sawt-albuhayra.example/تحقيق/المرايا',
      og_title: 'من يسخن الماء؟',
      og_site_name: 'صوت البحيرة',
      jsonld: {
        author: { name: 'ليلى منصوري', url: null },
        publisher: null,
        keywords: ['بحيرة', 'مرايا'],
      },
    },
    imageHashes: {},
  },
  {
    collector_metadata: fetched('2026-10-16T10:10:10.000Z', 'blog'),
    metadata: { og_url: 'https://notes.example/p/9f31' },
  },
  {
    collector_metadata: fetched('2026-10-16T10:12:00.000Z', 'blog'),
    metadata: {
      title: '',
      description: '',
      canonical: 'https://notes.example/p/9f32',
      generator: '',
      og_title: '',
      og_description: '',
      og_url: '',
      og_image: '',
      og_site_name: '',
      twitter_title: '',
      twitter_description: '',
      twitter_url: '',
      twitter_image: '',
      twitter_site: '',
      article_published_time: '',
      article_modified_time: '',
      jsonld: {
        author: { name: '', url: '' },
        publisher: { name: '', url: '', logo: { url: '' } },
        keywords: [],
      },
    },
    imageHashes: {},
  },
  {
    collector_metadata: fetched('2026-11-04T07:45:00.000Z', 'blog'),
    metadata: {
      title: '<h1>Project Nightfall</h1> – the memo they "lost" & we found',
      description: '<iframe src="javascript:alert(4)"></iframe> The memo, page by page.',
      canonical: 'https://nightfall-memo.example/',
      generator: '<meta http-equiv="refresh" content="0;url=https://nightfall-memo.example/trap">',
      og_title: 'Project Nightfall – the memo',
      og_url: 'javascript:alert(5)',
      og_image: 'data:text/html,<script>alert(6)</script>',
      og_site_name: 'nightfall-memo.example',
      twitter_site: '@nightfall_files" onmouseover="alert(7)',
      jsonld: {
        author: { name: 'dr. ivo b.', url: 'https://nightfall-memo.example/about' },
        publisher: { name: 'Nightfall Files', url: 'https://nightfall-memo.example' },
        keywords: ['nightfall', '<script>alert(8)</script>'],
      },
    },
    imageHashes: {
      'https://nightfall-memo.example/"><img src=x onerror=alert(9)>.png': sha256('memo-page-1'),
    },
  },
  {
    collector_metadata: fetched('2026-11-04T12:00:00.000Z', 'blog'),
    metadata: {
      title: 'Port Sellane: a transformer fire, minute by minute',
      description: 'The Northshore Ledger spoke with the fire brigade, two engineers and the Grid Authority.',
      canonical: 'https://northshore-ledger.example/sellane-minute-by-minute',
      generator: 'Ledger CMS',
      og_title: 'Port Sellane: a transformer fire, minute by minute',
      og_description: 'From 21:04 to 23:50.',
      og_url: 'https://northshore-ledger.example/sellane-minute-by-minute',
      og_image: 'https://northshore-ledger.example/media/transformer.jpg',
      og_site_name: 'Northshore Ledger',
      twitter_title: 'Port Sellane, minute by minute',
      twitter_site: '@northshoreledger',
      article_published_time: '2026-11-04T05:00:00.000Z',
      article_modified_time: '2026-11-04T11:20:00.000Z',
      jsonld: {
        author: { name: 'Agathe Brunswijk', url: 'https://northshore-ledger.example/staff/brunswijk' },
        publisher: {
          name: 'Northshore Ledger Ltd',
          url: 'https://northshore-ledger.example',
          logo: { url: 'https://northshore-ledger.example/logo.svg' },
        },
        keywords: ['Port Sellane', 'power cut', 'Grid Authority'],
      },
    },
    imageHashes: images('https://northshore-ledger.example/media', 5),
  },
  {
    collector_metadata: fetched('2026-11-05T20:00:00.000Z', 'blog'),
    metadata: {
      title: 'How long do we sit in the dark?',
      description: longManifesto,
      canonical: `https://longreads.example/dark?${'part=nightfall&'.repeat(60)}end=1`,
      og_description: threadOfFiftyLines,
      jsonld: { author: null, publisher: null, keywords: null },
    },
  },
  {
    collector_metadata: fetched('2026-11-15T19:00:00.000Z', 'blog'),
    metadata: {
      title: 'Blue water at the Quell marathon: E133, a food dye, by mistake',
      description: 'A supplier filled the tanks of kilometre 30 with a sports drink. 🥤 Nobody was hurt.',
      canonical: 'https://quell-today.example/sport/blue-water',
      generator: 'Hexo-like 3',
      og_title: 'Blue water: a food dye, by mistake',
      og_url: 'https://quell-today.example/sport/blue-water',
      og_site_name: 'Quell Today',
      twitter_title: 'Blue water 💧 explained',
      twitter_url: 'https://quell-today.example/sport/blue-water',
      article_published_time: '2026-11-15T17:30:00Z',
      jsonld: {
        author: { name: 'Tomasz Okafor-Lindh', url: 'https://quell-today.example/by/okafor-lindh' },
        publisher: {
          name: 'Quell Today Media',
          url: 'https://quell-today.example',
          logo: { url: 'https://quell-today.example/static/logo.png' },
        },
        keywords: ['Quell marathon', 'blue water', 'E133'],
      },
    },
    imageHashes: images('https://quell-today.example/img', 2),
  },
  {
    collector_metadata: fetched('2026-11-16T06:30:00.000Z', 'blog'),
    metadata: {
      title: 'E133 : ce que personne ne dit',
      description: "L'eau bleue n'était pas une erreur. Nos lecteurs témoignent.",
      canonical: 'https://quell-sans-filtre.example/e133',
      og_title: 'E133 : ce que personne ne dit',
      og_description: "L'eau bleue n'était pas une erreur.",
      og_url: 'https://quell-sans-filtre.example/e133',
      og_site_name: 'Quell sans filtre',
      article_published_time: 'hier soir',
      jsonld: {
        author: { name: 'Odile Ferrandier-Moss', url: 'https://quell-sans-filtre.example/odile' },
        publisher: { name: 'Quell sans filtre', url: 'https://quell-sans-filtre.example' },
        keywords: ['eau bleue', 'E133', 'marathon de Quell'],
      },
    },
    imageHashes: images('https://quell-sans-filtre.example/images', 1),
  },
]

/** Records as the collector sends them, by source: realistic but entirely fictional. */
export const demoRecords: { [S in Source]: RecordOf[S][] } = { tiktok, telegram, blog }
