import type { ReportContent } from '@iodine/contracts'
import { findTechnique } from '@iodine/exchange/disarm'
import { apaText, authorsOf } from './cite.js'
import { narrativesOf } from './narratives.js'
import { defang, defangText, oneLine, shownValue, visible } from './text.js'
import { LICENCES, textsOf } from './texts.js'

/** Returns text without a meaning in Markdown. */
const md = (text: string): string => visible(text).replace(/[\\`*_[\]<>#|~!&]|^(?:[-+=]|\d+\.)/gm, '\\$&')
const line = (text: string): string => md(oneLine(text))

/** Returns a report as Markdown, without links to addresses of the campaign. */
export const toMarkdown = (content: ReportContent): string => {
  const t = textsOf(content.language)
  const { attribution, exhibits, indicators, references, techniques } = content
  const numbers = (of: readonly number[]) => (of.length > 0 ? ` (${of.map(n => `E${n}`).join(', ')})` : '')
  const section = (title: string, body: string) => (body.trim() === '' ? '' : `## ${title}\n\n${body}\n\n`)
  const list = (lines: readonly string[]) => lines.map(each => `- ${each}`).join('\n')
  return [
    `# ${line(content.title)}\n\n`,
    `TLP:CLEAR · ${t.version(content.n)} · ${content.made_at.slice(0, 10)} · ${authorsOf(content).map(md).join(', ')}\n\n${content.url}\n\n`,
    content.aliases.length > 0 ? `${t.otherNames}: ${content.aliases.map(line).join(', ')}\n\n` : '',
    section(t.corrected, md(defangText(content.change))),
    section(t.summary, md(defangText(content.summary))),
    section(
      t.findings,
      list(
        content.findings.map(
          ({ text, confidence, exhibits: on }) =>
            `**${t.confidence[confidence]}.** ${line(defangText(text))}${numbers(on)}`,
        ),
      ),
    ),
    section(t.unknown, md(defangText(content.unknown))),
    section(t.method, md(defangText(content.method))),
    section(
      t.narratives,
      list(
        narrativesOf(content).map(
          ({ label, count, exhibits: on }) => `${line(defangText(label))}: ${count}${numbers(on)}`,
        ),
      ),
    ),
    section(
      t.attribution,
      attribution === null
        ? t.notAttributed
        : `${t.attributedBy[attribution.by]}: ${md(defangText(attribution.text))}\n\n${t.grounds}: ${md(defangText(attribution.grounds))}`,
    ),
    section(
      t.techniques,
      list(
        techniques.map(
          ({ id, exhibits: on }) => `${id} ${line(findTechnique(id)?.name ?? '')}${numbers(on)}`,
        ),
      ),
    ),
    section(
      t.exhibits,
      list(
        exhibits.map(
          each =>
            `E${each.n}: “${line(defangText(each.quote))}” ${line(defang(each.url))}, ${each.captured_at}, ${each.manifest_hash}`,
        ),
      ),
    ),
    section(
      t.annex,
      list(
        indicators.map(
          each => `${t.categories[each.category]}: ${line(shownValue(each))}${numbers(each.exhibits)}`,
        ),
      ),
    ),
    section(t.references, list(references.map(({ title, url }) => `${line(title)}: ${line(url)}`))),
    section(t.cite, line(apaText(content))),
    `${t.licence}: ${LICENCES[content.licence].name}. ${t.quotesLicence}\n`,
  ].join('')
}
