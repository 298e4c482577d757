import { currentAddress, type PageRequest } from './page-request.ts'
import { languageName } from './language.ts'
import { chooseLanguage } from '../../graph/jskos/names.ts'
import type { VocabularyFacts } from './vocabulary-facts.ts'

/** A link for each language that a vocabulary has; an island remembers the choice. Nothing if there is no choice. */
export function ContentLanguages({ request, facts: { languages } }: { request: PageRequest; facts: VocabularyFacts }) {
  const { texts, reading } = request
  if (languages.length < 2) return null
  const shown = chooseLanguage(languages, reading.preferred)
  const compare = new Intl.Collator(reading.page).compare
  const named = languages
    .map((tag) => ({ tag, name: languageName(tag, reading.page) }))
    .sort((a, b) => compare(a.name, b.name))
  return (
    <details class="content-languages">
      <summary>
        {texts.contentLanguage} <b>{named.find(({ tag }) => tag === shown)?.name}</b>
      </summary>
      <ul>
        {named.map(({ tag, name }) => (
          <li>
            <a
              href={currentAddress(request, { clang: tag })}
              hreflang={tag === 'und' ? undefined : tag}
              aria-current={tag === shown ? 'true' : undefined}
              data-clang={tag}
            >
              {name}
            </a>
          </li>
        ))}
      </ul>
    </details>
  )
}
